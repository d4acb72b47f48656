// Every supported row of the instruction table lowers, widens and compiles in every spelling of forms.txt, and what
// does no harm is run. Results are the business of the golden tests.
#include "engine_run.h"
#include "ptx/inst_table.h"
#include "ptx/parser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

namespace tollgate::test {
namespace {

std::vector<std::string> lines_of(const std::string& file) {
  std::ifstream in(std::string(TOLLGATE_ISA_DIR "/") + file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  return lines;
}

constexpr const char* prologue = R"(.version 8.7
.target sm_90
.address_size 64
.const .align 16 .b8 cst[128];
.visible .entry k(.param .u64 in, .param .u64 out, .param .align 16 .b8 prm[128]) {
.reg .pred %p<8>; .reg .b16 %h<80>; .reg .b32 %r<80>; .reg .b64 %d<80>; .reg .b128 %q<80>; .reg .b64 %dg, %dbar, %x, %sum;
.reg .b32 %t, %y; .reg .b16 %z;
.shared .align 16 .b8 sh[128]; .shared .align 8 .b8 bar[8]; .local .align 16 .b8 loc[128]; .param .align 16 .b8 lp[64];
mov.u32 %t, %tid.x;
ld.param.u64 %dg, [in];
mad.wide.u32 %dg, %t, 256, %dg;
mov.u64 %dbar, bar;
cvta.shared.u64 %dbar, %dbar;
mov.b64 %sum, 0;
)";

// Registers that come from memory, so that nothing is folded.
std::string set_registers() {
  std::ostringstream out;
  for (unsigned i = 0; i < 80; ++i) {
    const unsigned at = i * 8 % 128;
    out << "ld.global.b64 %d" << i << ", [%dg+" << at << "];\n"
        << "cvt.u32.u64 %r" << i << ", %d" << i << ";\ncvt.u16.u64 %h" << i << ", %d" << i << ";\n"
        << "mov.b128 %q" << i << ", {%d" << i << ", %d" << i << "};\n";
  }
  for (unsigned i = 0; i < 8; ++i) out << "setp.ne.u32 %p" << i << ", %r" << i << ", %r9;\n";
  return out.str();
}

// Adds a register to the sum, so that the instruction before it stays.
std::string keep(const std::string& reg) {
  switch (reg[1]) {
  case 'p': return "selp.u64 %x, 1, 0, " + reg + ";\nadd.u64 %sum, %sum, %x;\n";
  case 'h': return "cvt.u64.u16 %x, " + reg + ";\nadd.u64 %sum, %sum, %x;\n";
  case 'r': return "cvt.u64.u32 %x, " + reg + ";\nadd.u64 %sum, %sum, %x;\n";
  case 'd': return "add.u64 %sum, %sum, " + reg + ";\n";
  case 'q': return "mov.b128 {%x, _}, " + reg + ";\nadd.u64 %sum, %sum, %x;\n";
  default: return "";
  }
}

std::string keep_results(const std::string& line) {
  const std::string operands = line.substr(std::min(line.find(' '), line.size()));
  const bool vector = operands.starts_with(" {");
  const std::string first = operands.substr(0, operands.find(vector ? '}' : ','));
  std::string out;
  for (size_t at = first.find('%'); at != std::string::npos; at = first.find('%', at + 1)) {
    if (first.find('[') < at) break;
    out += keep(first.substr(at, first.find_first_of(",|} ", at) - at));
  }
  return out;
}

std::string kernel_of(const std::vector<std::string>& lines) {
  std::string out = prologue + set_registers();
  for (const std::string& line : lines) out += line + ";\n" + keep_results(line);
  return out + "L:\nld.param.u64 %dg, [out];\nmad.wide.u32 %dg, %t, 8, %dg;\nst.global.u64 [%dg], %sum;\nret;\n}\n";
}

bool ends_or_waits(const std::string& line) {
  for (const char* start : {"bra", "exit", "ret", "trap", "brkpt", "mbarrier", "bar.arrive", "bar.cta.arrive",
                            "barrier.arrive", "barrier.cta.arrive", "cp.async.mbarrier", "cp.async.bulk"})
    if (line.starts_with(start)) return true;
  return false;
}

// What is wrong with these lines, one message for each bad line; empty if nothing.
std::string problems(const std::vector<std::string>& lines, bool run) {
  LoadedModule module(kernel_of(lines), "forms");
  std::string message = module.compile("k");
  if (message.empty() && run) {
    const std::vector<uint64_t> in(32 * 32, 0x3ff0000040003c00);
    std::vector<uint64_t> out(32);
    message = module.run("k", 1, 32, in, out).message;
  }
  if (message.empty() || lines.size() == 1) return message.empty() ? "" : lines[0] + ": " + message + "\n";
  const auto middle = lines.begin() + long(lines.size() / 2);
  return problems({lines.begin(), middle}, run) + problems({middle, lines.end()}, run);
}

constexpr size_t lines_per_kernel = 150;

void check(const std::vector<std::string>& lines, bool run) {
  for (size_t at = 0; at < lines.size(); at += lines_per_kernel) {
    const auto last = std::min(at + lines_per_kernel, lines.size());
    EXPECT_EQ(problems({lines.begin() + long(at), lines.begin() + long(last)}, run), "");
  }
}

class Forms : public testing::TestWithParam<int> {};
constexpr int parts = 6;

TEST_P(Forms, RunOrCompile) {
  const auto lines = lines_of("forms.txt");
  const size_t each = lines.size() / parts + 1;
  std::vector<std::string> run, compile;
  for (size_t i = each * size_t(GetParam()); i < std::min(lines.size(), each * size_t(GetParam() + 1)); ++i)
    (ends_or_waits(lines[i]) ? compile : run).push_back(lines[i]);
  check(run, true);
  check(compile, false);
}
INSTANTIATE_TEST_SUITE_P(Isa, Forms, testing::Range(0, parts));

TEST(FormsSeen, InCompilerOutputCompile) {
  std::vector<std::string> lines;
  std::ifstream in(TOLLGATE_ISA_DIR "/../unit/ptx/data/compiler_forms.ptx");
  ASSERT_TRUE(in);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  LoadedModule module(text, "compiler_forms.ptx");
  EXPECT_EQ(module.compile("k"), "");
}

// Every row has a line in forms.txt, unless it is one that no line can spell.
TEST(FormsTable, IsCovered) {
  const std::set<std::string_view> elsewhere = {"call", "brx"};
  std::string text = prologue;
  for (const std::string& line : lines_of("forms.txt")) text += line + ";\n";
  const auto module = ptx::parse_module(text + "L:\nret;\n}\n", "forms");
  ASSERT_TRUE(module) << module.error().to_string();
  std::set<const ptx::InstForm*> seen;
  for (const ptx::Instruction& inst : (*module)->functions[0].instructions) seen.insert(inst.form);
  for (const ptx::InstForm& form : ptx::inst_table()) {
    if ((form.flags & ptx::Unsupported) != 0 || elsewhere.contains(form.name)) continue;
    EXPECT_TRUE(seen.contains(&form)) << form.syntax << " " << form.slots;
  }
}

// A known form that is not run ends the launch and is named.
TEST(FormsNotModelled, AreNamed) {
  for (const char* line :
       {"wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%dg]",
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%r6}, {%r7, %r8, %r9, "
        "%r10}",
        "tex.1d.v4.f32.s32 {%r0, %r1, %r2, %r3}, [%d0, {%r4}]", "suld.b.1d.b32.trap %r0, [%d0, {%r1}]",
        "vadd.u32.u32.u32 %r0, %r1, %r2", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [sh]"}) {
    LoadedModule module(kernel_of({line}), "forms");
    std::vector<uint64_t> out(32);
    const auto result = module.run("k", 1, 32, std::vector<uint64_t>(32 * 32), out);
    const std::string mnemonic(line, std::string_view(line).find_first_of(". "));
    EXPECT_EQ(result.status, engine::Status::NotSupported) << line;
    EXPECT_NE(result.message.find(mnemonic), std::string::npos) << line << ": " << result.message;
  }
}

} // namespace
} // namespace tollgate::test
