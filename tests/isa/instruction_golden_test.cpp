// Every instruction of gpu_cases.txt, run by the engine on the inputs a real H200 was given: the answers are to be the
// same bits; for the .approx instructions they are to lie within the error that the manual states.
#include "engine_run.h"
#include "golden_file.h"
#include "gpu_cases.h"
#include "open_differences.h"
#include "tolerance.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tollgate::test {
namespace {

constexpr size_t cases_per_kernel = 24;
constexpr const char* names[] = {"a", "b", "c", "e"};

// One scope for each case. Inputs lie word by word, thread after thread, so that a warp reads neighbours.
std::string kernel_text(const std::string& name, const std::vector<GpuCase>& cases) {
  std::ostringstream ptx;
  ptx << ".visible .entry " << name
      << "(.param .u64 in, .param .u64 out) {\n.reg .b64 %i, %o, %x;\n.reg .b32 %t, %n, %u;\n"
      << "mov.u32 %t, %tid.x;\nmov.u32 %u, %ctaid.x;\nmov.u32 %n, %ntid.x;\nmad.lo.u32 %t, %u, %n, %t;\n"
      << "ld.param.u64 %i, [in];\nld.param.u64 %o, [out];\nmad.wide.u32 %i, %t, 8, %i;\nmad.wide.u32 %o, %t, 8, %o;\n";
  for (size_t c = 0; c < cases.size(); ++c) {
    const GpuCase& entry = cases[c];
    ptx << "{\n";
    for (size_t j = 0; j < entry.sources.size(); ++j) {
      const unsigned width = sample_width(entry.sources[j]);
      ptx << "ld.global.u64 %x, [%i+" << (c * 4 + j) * gpu_case_inputs * 8 << "];\n";
      if (width == 1)
        ptx << ".reg .pred " << names[j] << ";\nsetp.ne.u64 " << names[j] << ", %x, 0;\n";
      else
        ptx << ".reg .b" << width << " " << names[j] << ";\ncvt.u" << width << ".u64 " << names[j] << ", %x;\n";
    }
    if (entry.result_width == 1)
      ptx << ".reg .pred d;\n" << entry.text << ";\nselp.u64 %x, 1, 0, d;\n";
    else
      ptx << ".reg .b" << entry.result_width << " d;\n"
          << entry.text << ";\ncvt.u64.u" << entry.result_width << " %x, d;\n";
    ptx << "st.global.u64 [%o+" << c * gpu_case_inputs * 8 << "], %x;\n}\n";
  }
  ptx << "ret;\n}\n";
  return ptx.str();
}

std::vector<uint64_t> transposed_inputs(const std::vector<GpuCase>& cases) {
  std::vector<uint64_t> words(cases.size() * 4 * gpu_case_inputs);
  for (size_t c = 0; c < cases.size(); ++c) {
    const std::vector<uint64_t> rows = inputs_of(cases[c]);
    for (size_t i = 0; i < rows.size(); ++i) words[(c * 4 + i % 4) * gpu_case_inputs + i / 4] = rows[i];
  }
  return words;
}

// Some cases declare a register before their instruction.
std::string opcode_of(const GpuCase& entry) {
  const size_t start = entry.text.starts_with(".reg") ? entry.text.find("; ") + 2 : 0;
  return entry.text.substr(start, entry.text.find_first_of(". ", start) - start);
}

// Says which inputs give which answers, for the first few that differ.
void compare(const GpuCase& entry, const uint64_t* ours, const std::vector<uint64_t>& golden) {
  const std::vector<uint64_t> inputs = inputs_of(entry);
  unsigned wrong = 0;
  std::ostringstream shown;
  for (unsigned i = 0; i < gpu_case_inputs; ++i) {
    if (within_tolerance(entry.text, &inputs[i * 4], ours[i], golden[i])) continue;
    if (++wrong > 3) continue;
    shown << std::hex << "\n  ";
    for (size_t j = 0; j < entry.sources.size(); ++j) shown << names[j] << "=0x" << inputs[i * 4 + j] << " ";
    shown << "gives 0x" << ours[i] << ", an H200 gives 0x" << golden[i] << std::dec;
  }
  if (is_open_difference(entry.text)) {
    EXPECT_NE(wrong, 0U) << entry.text << " no longer differs: take it out of open_differences.h";
    std::cout << "open difference: " << entry.text << ", " << wrong << " of " << gpu_case_inputs << shown.str() << "\n";
    return;
  }
  EXPECT_EQ(wrong, 0U) << entry.text << shown.str();
}

void run_batch(const std::vector<GpuCase>& batch, const Goldens& goldens) {
  const std::string ptx = ".version 8.6\n.target sm_90\n.address_size 64\n" + kernel_text("k", batch);
  LoadedModule module(ptx, "instruction goldens");
  std::vector<uint64_t> out(batch.size() * gpu_case_inputs);
  const auto result = module.run("k", gpu_case_inputs / 128, 128, transposed_inputs(batch), out);
  ASSERT_EQ(result.status, engine::Status::Success) << result.message;
  for (size_t c = 0; c < batch.size(); ++c) compare(batch[c], &out[c * gpu_case_inputs], goldens.at(batch[c].text));
}

class Instruction : public testing::TestWithParam<std::string> {};

const std::vector<GpuCase>& all_cases() {
  static const auto cases = read_gpu_cases(TOLLGATE_ISA_DIR "/gpu_cases.txt");
  return cases;
}

TEST_P(Instruction, AnswersAsAnH200) {
  static const Goldens goldens = read_goldens("instructions");
  std::vector<GpuCase> batch;
  for (const GpuCase& entry : all_cases()) {
    if (opcode_of(entry) != GetParam() || !goldens.contains(entry.text)) continue;
    batch.push_back(entry);
    if (batch.size() == cases_per_kernel) run_batch(std::exchange(batch, {}), goldens);
    if (HasFatalFailure()) return;
  }
  if (!batch.empty()) run_batch(batch, goldens);
}

std::vector<std::string> opcodes() {
  std::vector<std::string> found;
  for (const GpuCase& entry : all_cases())
    if (std::ranges::find(found, opcode_of(entry)) == found.end()) found.push_back(opcode_of(entry));
  return found;
}

INSTANTIATE_TEST_SUITE_P(Isa, Instruction, testing::ValuesIn(opcodes()), [](const auto& info) { return info.param; });

// A case that the GPU's assembler rejected has no answers. They are listed, so that a gap is seen when it opens.
TEST(InstructionGoldens, OnlyTheseCasesHaveNone) {
  const Goldens goldens = read_goldens("instructions");
  std::ifstream file(TOLLGATE_ISA_DIR "/goldens/instructions.rejected");
  std::vector<std::string> listed, missing;
  for (std::string line; std::getline(file, line);) listed.push_back(line);
  for (const GpuCase& entry : all_cases())
    if (!goldens.contains(entry.text)) missing.push_back(entry.text);
  std::ranges::sort(missing);
  std::ranges::sort(listed);
  EXPECT_EQ(missing, listed);
}

} // namespace
} // namespace tollgate::test
