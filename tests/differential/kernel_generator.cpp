#include "kernel_generator.h"

#include "function_writer.h"

#include <fmt/format.h>

namespace tollgate::differential {

namespace {

constexpr const char* kHead = R"(.version 8.0
.target sm_80
.address_size 64
.shared .align 16 .b8 sh32[1024];
.shared .align 16 .b8 sh64[2048];
.shared .align 16 .b8 sh8[256];
.shared .align 16 .b8 exchange32[1024];
.shared .align 16 .b8 exchange64[2048];
.shared .align 16 .b8 exchange8[256];
.shared .align 16 .b8 ssum[32];
)";

constexpr const char* kSignature =
    ".func (.param .b32 result) {}(.param .b32 ax, .param .b64 ain, .param .b32 amask, .param .b32 an)";
constexpr const char* kPrototype =
    "  proto: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _, .param .b32 _, .param .b32 _);\n";

std::string fixed_registers(bool is_kernel) {
  std::string out = "  .reg .b32 %n, %mask, %lin, %gid;\n  .reg .b64 %in;\n  .local .align 16 .b8 loc[64];\n";
  if (is_kernel) out += "  .reg .b64 %out, %sums;\n";
  return out;
}

// The thread's number in its block and in the grid, and its local memory.
void write_prologue(FunctionWriter& w) {
  std::string t = w.temp("r"), u = w.temp("r"), b = w.temp("r");
  w.line(fmt::format("mov.u32 {}, %tid.z", t));
  w.line(fmt::format("mov.u32 {}, %ntid.y", u));
  w.line(fmt::format("mov.u32 {}, %tid.y", b));
  w.line(fmt::format("mad.lo.u32 {}, {}, {}, {}", t, t, u, b));
  w.line(fmt::format("mov.u32 {}, %ntid.x", u));
  w.line(fmt::format("mov.u32 {}, %tid.x", b));
  w.line(fmt::format("mad.lo.u32 %lin, {}, {}, {}", t, u, b));
}

void write_global_index(FunctionWriter& w, uint32_t threads) {
  std::string b = w.temp("r"), n = w.temp("r"), y = w.temp("r");
  w.line(fmt::format("mov.u32 {}, %ctaid.y", y));
  w.line(fmt::format("mov.u32 {}, %nctaid.x", n));
  w.line(fmt::format("mov.u32 {}, %ctaid.x", b));
  w.line(fmt::format("mad.lo.u32 {}, {}, {}, {}", b, y, n, b));
  w.line(fmt::format("mad.lo.u32 %gid, {}, {}, %lin", b, threads));
  for (unsigned i = 0; i < 64; i += 8) w.line(fmt::format("st.local.b64 [loc+{}], {}", i, i * 77));
}

enum class FunctionKind { Leaf, MaskedLeaf, Recursive, Exchange, BarrierLoop };

std::string write_function(Random& random, const Shape& shape, const std::string& name, FunctionKind kind) {
  FunctionWriter w(random, shape, false, name);
  for (const char* p : {"b32 %n, [an]", "b32 %mask, [amask]", "b64 %in, [ain]"}) w.line(std::string("ld.param.") + p);
  std::string seed = w.temp("r");
  w.line(fmt::format("ld.param.b32 {}, [ax]", seed));
  write_prologue(w);
  write_global_index(w, shape.threads);
  w.initialise(seed);
  FunctionWriter::Scope scope;
  scope.depth = 1;
  scope.loops = 1;
  bool masked = kind == FunctionKind::MaskedLeaf || kind == FunctionKind::Recursive;
  if (masked) scope.mask = "%mask";
  scope.top = masked;
  w.statements(scope, 2 + unsigned(random() % 4));
  std::string recursion_label = w.new_label();
  switch (kind) {
  case FunctionKind::Recursive: {
    std::string more = w.temp("p"), deeper = w.temp("r"), less = w.temp("r");
    w.line(fmt::format("setp.gt.s32 {}, %n, 0", more));
    w.line(fmt::format("vote.sync.ballot.b32 {}, {}, %mask", deeper, more));
    w.line(fmt::format("@!{} bra {}", more, recursion_label));
    w.line(fmt::format("sub.s32 {}, %n, 1", less));
    w.call(name, deeper, less);
    w.label(recursion_label);
    w.statements(scope, 2);
    break;
  }
  case FunctionKind::Exchange:
    w.exchange(scope, false);
    w.statements(scope, 2);
    break;
  case FunctionKind::BarrierLoop: {
    std::string i = w.temp("r"), more = w.temp("p");
    w.line(fmt::format("mov.u32 {}, 0", i));
    w.label(recursion_label);
    scope.counters.push_back(i);
    w.statements(scope, 1);
    w.line("barrier.sync 0");
    w.statements(scope, 1);
    w.line(fmt::format("mad.lo.u32 %r0, %r0, 3, {}", i));
    w.line(fmt::format("add.u32 {}, {}, 1", i, i));
    w.line(fmt::format("setp.lt.u32 {}, {}, 2", more, i));
    w.line(fmt::format("@{} bra {}", more, recursion_label));
    break;
  }
  default: break;
  }
  w.line(fmt::format("st.param.b32 [result], {}", w.mix()));
  w.line("ret");
  // An early return leaves a result, too.
  std::string out = fmt::format(fmt::runtime(kSignature), name) + "\n{\n" + fixed_registers(false) + w.declarations();
  return out + "  st.param.b32 [result], 5;\n" + w.body() + "}\n";
}

void write_kernel_start(FunctionWriter& w, Random& random, const Shape& shape) {
  for (const char* p : {"in", "out", "sums"}) {
    w.line(fmt::format("ld.param.u64 %{}, [p{}]", p, p));
    w.line(fmt::format("cvta.to.global.u64 %{}, %{}", p, p));
  }
  w.line("ld.param.u32 %n, [pn]");
  write_prologue(w);
  write_global_index(w, shape.threads);
  // The lanes of this warp that exist.
  std::string base = w.temp("r"), left = w.temp("r"), full = w.temp("p");
  w.line(fmt::format("and.b32 {}, %lin, -32", base));
  w.line(fmt::format("sub.u32 {}, {}, {}", left, shape.threads, base));
  w.line(fmt::format("shl.b32 %mask, 1, {}", left)); // 0 from 32 on
  w.line(fmt::format("setp.ge.u32 {}, {}, 32", full, left));
  w.line(fmt::format("sub.u32 %mask, %mask, 1", full));
  w.line(fmt::format("selp.b32 %mask, -1, %mask, {}", full));
  // Shared memory: own slots, the slots of exchanges, and the sums.
  std::string at = w.temp("r"), first = w.temp("p");
  for (auto [name, bytes, type] : {std::tuple{"sh32", 4, "b32"},
                                   {"sh64", 8, "b64"},
                                   {"sh8", 1, "u8"},
                                   {"exchange32", 4, "b32"},
                                   {"exchange64", 8, "b64"},
                                   {"exchange8", 1, "u8"}}) {
    w.line(fmt::format("mov.u32 {}, {}", at, name));
    w.line(fmt::format("mad.lo.u32 {}, %lin, {}, {}", at, bytes, at));
    w.line(fmt::format("st.shared.{} [{}], {}", type, at, random() % 100));
  }
  w.line(fmt::format("setp.eq.u32 {}, %lin, 0", first));
  w.line(fmt::format("mov.u32 {}, ssum", at));
  for (unsigned i = 0; i < 8; ++i)
    w.line(fmt::format("@{} st.shared.u32 [{}+{}], {}", first, at, 4 * i, random() % 50));
  w.line("bar.sync 0");
  w.initialise("%gid");
  for (unsigned i = 0; i < 3; ++i) { // some values straight from memory
    std::string a = w.temp("l");
    w.line(fmt::format("mul.wide.u32 {}, %gid, 4", a));
    w.line(fmt::format("add.s64 {}, {}, %in", a, a));
    w.line(fmt::format("ld.global.u32 %r{}, [{}+{}]", 2 * i, a, 4 * i));
  }
}

std::array<uint32_t, 3> random_block(Random& random) {
  switch (random() % 7) {
  case 0: return {32, 1, 1};
  case 6: return {uint32_t(32 * (1 + random() % 2)), uint32_t(1 + random() % 2), uint32_t(1 + random() % 2)};
  case 1: return {uint32_t(1 + random() % 256), 1, 1};
  case 2: return {64, 1, 1};
  case 3: { // rows of 8 and 16 threads, for which the engine has code of its own, as often as others
    const auto width = uint32_t(random() % 2 == 0 ? 8 << random() % 2 : 1 + random() % 20);
    return {width, uint32_t(1 + random() % 12), 1};
  }
  case 4: return {uint32_t(1 + random() % 8), uint32_t(1 + random() % 6), uint32_t(1 + random() % 5)};
  default: return {uint32_t(32 * (1 + random() % 4)), 1, 1};
  }
}

} // namespace

KernelCase generate_kernel(uint64_t seed) {
  Random random(seed * 0x9e3779b97f4a7c15ull + 1);
  KernelCase k;
  k.seed = seed;
  k.block = random_block(random);
  k.grid = {uint32_t(1 + random() % 3), uint32_t(random() % 4 == 0 ? 2 : 1), 1};
  Shape shape;
  shape.threads = k.block[0] * k.block[1] * k.block[2];
  shape.all_threads = shape.threads * k.grid[0] * k.grid[1];
  k.out_bytes = OutputLayout::total(shape.all_threads);

  FunctionWriter w(random, shape, true, "k");
  std::string functions, tables;
  bool calls = random() % 2 == 0;
  if (calls) {
    struct Kind {
      const char* name;
      FunctionKind kind;
    };
    std::string headers;
    for (auto [name, kind] : {Kind{"leaf_a_m", FunctionKind::MaskedLeaf},
                              {"leaf_b", FunctionKind::Leaf},
                              {"leaf_c", FunctionKind::Leaf},
                              {"rec_m", FunctionKind::Recursive},
                              {"bar_b", FunctionKind::Exchange},
                              {"bar_c", FunctionKind::BarrierLoop}}) {
      functions += write_function(random, shape, name, kind);
      headers += fmt::format(fmt::runtime(kSignature), name) + ";\n";
    }
    tables = headers + ".global .align 8 .u64 table_leaf[2] = {leaf_b, leaf_c};\n.global .align 8 .u64 table_bar[2] = "
                       "{bar_b, bar_c};\n";
    w.leaf_functions = {"leaf_a_m", "leaf_b", "leaf_c", "rec_m", "[table_leaf"};
    w.barrier_functions = {"bar_b", "bar_c", "[table_bar"};
  }
  write_kernel_start(w, random, shape);
  FunctionWriter::Scope scope;
  scope.mask = "%mask";
  scope.uniform = true;
  scope.top = true;
  w.statements(scope, 8 + unsigned(random() % 14));
  w.store_results();
  w.line("ret");
  k.ptx = std::string(kHead) + tables + functions +
          ".visible .entry k(.param .u64 pin, .param .u64 pout, .param .u64 psums, .param .u32 pn)\n{\n" +
          fixed_registers(true) + w.declarations() + (calls ? kPrototype : "") + w.body() + "}\n";
  return k;
}

} // namespace tollgate::differential
