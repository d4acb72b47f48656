#include "function_writer.h"

#include <fmt/format.h>

namespace tollgate::differential {

namespace {

struct Pool {
  const char* kind;
  const char* type;
  unsigned size;
};
constexpr Pool kPools[] = {{"r", "b32", 9}, {"l", "b64", 4}, {"h", "b16", 3},
                           {"f", "f32", 4}, {"d", "f64", 2}, {"p", "pred", 4}};

const Pool& pool(std::string_view kind) {
  for (const Pool& p : kPools)
    if (kind == p.kind) return p;
  return kPools[0];
}

} // namespace

uint32_t OutputLayout::offset(unsigned bytes, uint32_t threads) {
  uint32_t at = 0;
  for (unsigned size = 16; size > bytes; size /= 2) at += size * kSlots * threads;
  return at;
}
uint32_t OutputLayout::total(uint32_t threads) { return 31 * kSlots * threads; }

FunctionWriter::FunctionWriter(Random& random, const Shape& shape, bool is_kernel, std::string prefix)
    : random_(random), shape_(shape), is_kernel_(is_kernel), prefix_(std::move(prefix)) {}

std::string FunctionWriter::new_label() { return fmt::format("$L_{}_{}", prefix_, labels_++); }

std::string FunctionWriter::temp(const char* kind) {
  for (auto& [k, n] : temps_)
    if (k == kind) return fmt::format("%t{}{}", kind, n++);
  return {};
}

std::string FunctionWriter::data(const char* kind) { return fmt::format("%{}{}", kind, pick(pool(kind).size)); }

std::string FunctionWriter::declarations() const {
  std::string out;
  for (const Pool& p : kPools) out += fmt::format("  .reg .{} %{}<{}>;\n", p.type, p.kind, p.size);
  for (const auto& [k, n] : temps_) out += fmt::format("  .reg .{} %t{}<{}>;\n", pool(k).type, k, n + 1);
  return out;
}

void FunctionWriter::initialise(const std::string& seed_register) {
  for (unsigned i = 0; i < pool("r").size; ++i)
    line(fmt::format("mad.lo.s32 %r{}, {}, {}, {}", i, seed_register, pick(100), pick(1000)));
  for (unsigned i = 0; i < pool("l").size; ++i) line(fmt::format("mul.wide.u32 %l{}, %r{}, {}", i, i, pick(1u << 31)));
  for (unsigned i = 0; i < pool("h").size; ++i) line(fmt::format("cvt.u16.u32 %h{}, %r{}", i, i));
  for (unsigned i = 0; i < pool("f").size; ++i) line(fmt::format("cvt.rn.f32.s32 %f{}, %r{}", i, i + 1));
  for (unsigned i = 0; i < pool("d").size; ++i) line(fmt::format("cvt.rn.f64.s32 %d{}, %r{}", i, i + 2));
  for (unsigned i = 0; i < pool("p").size; ++i) line(fmt::format("setp.lt.u32 %p{}, %r{}, {}", i, i, pick(2000)));
}

std::string FunctionWriter::mix() {
  std::string m = temp("r");
  line(fmt::format("mov.b32 {}, %r0", m));
  auto add = [&](const std::string& v) { line(fmt::format("mad.lo.u32 {}, {}, 31, {}", m, m, v)); };
  for (unsigned i = 1; i < pool("r").size; ++i) add(fmt::format("%r{}", i));
  for (unsigned i = 0; i < pool("l").size; ++i) {
    std::string low = temp("r"), high = temp("r");
    line(fmt::format("mov.b64 {{{}, {}}}, %l{}", low, high, i));
    add(low);
    add(high);
  }
  for (unsigned i = 0; i < pool("p").size; ++i) {
    std::string v = temp("r");
    line(fmt::format("selp.u32 {}, 1, 2, %p{}", v, i));
    add(v);
  }
  return m;
}

// Every data register goes to a slot of its own.
void FunctionWriter::store_results() {
  for (unsigned i = 0; i < pool("r").size && i < OutputLayout::kSlots; ++i) {
    std::string old = temp("r"), sum = temp("r"), at = own_address(4, i);
    line(fmt::format("ld.global.u32 {}, [{}]", old, at)); // what the body stored there counts, too
    line(fmt::format("mad.lo.u32 {}, {}, 17, %r{}", sum, old, i));
    line(fmt::format("st.global.b32 [{}], {}", at, sum));
  }
  unsigned slot = 0;
  for (unsigned i = 0; i < pool("l").size; ++i)
    line(fmt::format("st.global.b64 [{}], %l{}", own_address(8, slot++), i));
  for (unsigned i = 0; i < pool("d").size; ++i) {
    std::string nan = temp("p"), v = temp("d");
    line(fmt::format("setp.nan.f64 {}, %d{}, %d{}", nan, i, i));
    line(fmt::format("selp.f64 {}, 0d0000000000000000, %d{}, {}", v, i, nan));
    line(fmt::format("st.global.f64 [{}], {}", own_address(8, slot++), v));
  }
  for (unsigned i = 0; i < pool("h").size; ++i) line(fmt::format("st.global.u16 [{}], %h{}", own_address(2, i), i));
  for (unsigned i = 0; i < pool("f").size; ++i) {
    std::string nan = temp("p"), v = temp("f");
    line(fmt::format("setp.nan.f32 {}, %f{}, %f{}", nan, i, i));
    line(fmt::format("selp.f32 {}, 0f00000000, %f{}, {}", v, i, nan));
    line(fmt::format("st.global.f32 [{}], {}", own_address(16, i), v));
  }
  line(fmt::format("st.global.b32 [{}], {}", own_address(16, 6), mix()));
}

std::string FunctionWriter::guard() {
  if (!chance(15)) return "";
  return fmt::format("@{}{} ", chance(50) ? "!" : "", data("p"));
}

std::string FunctionWriter::uniform_value(const Scope& scope) {
  // Not %warpid: a GPU numbers warps by the slots they run in (PTX ISA, "may change over the lifetime of a thread").
  static const char* const special[] = {"%ctaid.x", "%ntid.x", "%nctaid.x", "%ntid.y", "%ctaid.y"};
  switch (pick(4)) {
  case 0: return fmt::format("{}", int(pick(70)) - 5);
  case 1:
    if (!scope.counters.empty()) return scope.counters[pick(scope.counters.size())];
    [[fallthrough]];
  case 2: {
    std::string v = temp("r");
    line(fmt::format("mov.u32 {}, {}", v, one_of(special)));
    if (chance(40)) line(fmt::format("add.s32 {}, {}, {}", v, v, int(pick(40)) - 8));
    return v;
  }
  default: {
    std::string v = temp("r"), at = temp("l");
    line(fmt::format("mov.u32 {}, %ctaid.x", v));
    line(fmt::format("mul.wide.u32 {}, {}, {}", at, v, 4 * (1 + pick(4))));
    line(fmt::format("add.s64 {}, %in, {}", at, at));
    line(fmt::format("ld.global.u32 {}, [{}+{}]", v, at, 4 * pick(64)));
    return v;
  }
  }
}

// A value that grows by a constant from lane to lane; its magnitude stays below 8,000.
std::string FunctionWriter::affine_value(const Scope& scope) {
  std::string v = temp("r");
  switch (pick(6)) {
  case 0: line(fmt::format("mov.u32 {}, %tid.x", v)); break;
  case 4: line(fmt::format("mov.u32 {}, %tid.{}", v, chance(70) ? 'y' : 'z')); break; // equal in warps of a flat block
  case 5: {
    std::string row = temp("r"), column = temp("r");
    line(fmt::format("mov.u32 {}, %tid.y", row));
    line(fmt::format("mov.u32 {}, {}", column, chance(70) ? "%tid.x" : "%ctaid.x"));
    line(fmt::format("mad.lo.s32 {}, {}, {}, {}", v, row, 1 + pick(40), column));
    break;
  }
  case 1: line(fmt::format("mov.u32 {}, %laneid", v)); break;
  case 2: line(fmt::format("mov.b32 {}, %lin", v)); break;
  default: line(fmt::format("mov.b32 {}, %gid", v)); break;
  }
  auto change = [&](const std::string& text) {
    std::string next = temp("r");
    line(fmt::format(fmt::runtime(text), next, v));
    v = next;
  };
  if (chance(40)) {
    const char* const forms[] = {"mul.lo.s32 {}, {}, 3", "shl.b32 {}, {}, 1", "mul.lo.s32 {}, {}, -2", "neg.s32 {}, {}",
                                 "shl.b32 {}, {}, 2"};
    change(one_of(forms));
  }
  if (chance(50)) change(fmt::format("add.s32 {{}}, {{}}, {}", int(pick(128)) - 64));
  if (chance(20)) change("sub.s32 {}, 100, {}");
  if (!scope.counters.empty() && chance(40)) {
    std::string next = temp("r");
    line(fmt::format("add.s32 {}, {}, {}", next, v, scope.counters[pick(scope.counters.size())]));
    v = next;
  }
  return v;
}

std::string FunctionWriter::r_or_constant(const Scope& scope) {
  switch (pick(8)) {
  case 0: return fmt::format("{}", int32_t(random_()));
  case 1: return fmt::format("{}", int(pick(64)) - 16);
  case 2: return uniform_value(scope);
  case 3: return affine_value(scope);
  default: return data("r");
  }
}

// A predicate register, fresh or from the pool.
std::string FunctionWriter::condition(const Scope& scope) {
  static const char* const compares[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  if (chance(20)) return data("p");
  std::string p = temp("p");
  const char* type = chance(50) ? "s32" : "u32";
  switch (pick(5)) {
  case 0: line(fmt::format("setp.{}.{} {}, {}, {}", one_of(compares), type, p, uniform_value(scope), pick(8))); break;
  case 1:
  case 2: {
    std::string a = affine_value(scope), u = uniform_value(scope);
    if (chance(50)) std::swap(a, u);
    line(fmt::format("setp.{}.{} {}, {}, {}", one_of(compares), type, p, a, u));
    break;
  }
  case 3: {
    std::string v = temp("r");
    line(fmt::format("and.b32 {}, {}, {}", v, data("r"), 1u << pick(4)));
    line(fmt::format("setp.{}.u32 {}, {}, 0", chance(50) ? "eq" : "ne", p, v));
    break;
  }
  default: line(fmt::format("setp.{}.{} {}, {}, {}", one_of(compares), type, p, data("r"), data("r"))); break;
  }
  return p;
}

void FunctionWriter::statements(const Scope& scope, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    if (scope.depth < 4 && chance(scope.depth == 0 ? 30 : 18))
      control(scope);
    else
      value(scope);
  }
}

void FunctionWriter::value(const Scope& scope) {
  switch (pick(20)) {
  case 0:
  case 1:
  case 2:
  case 3: integer32(scope); break;
  case 4: integer64(); break;
  case 5: integer16(); break;
  case 6: single_float(); break;
  case 7: double_float(); break;
  case 8: conversion(); break;
  case 9: predicate(scope); break;
  case 10: selection(); break;
  case 11:
  case 12: input_load(scope); break;
  case 13:
  case 14: own_global(scope); break;
  case 15: own_shared(); break;
  case 16: own_local(); break;
  case 17: chance(50) ? own_atomic() : shared_sum(scope); break;
  case 18: vector_access(); break;
  default: warp_operation(scope); break;
  }
}

void FunctionWriter::control(const Scope& scope) {
  switch (pick(14)) {
  case 0:
  case 1:
  case 2: branch(scope); break;
  case 3: counted_loop(scope); break;
  case 4:
  case 5: lane_loop(scope); break;
  case 6: irreducible(scope); break;
  case 7: table_jump(scope); break;
  case 8: skip_forward(scope); break;
  case 9: leave_early(scope); break;
  case 10:
  case 11: call_something(scope); break;
  case 12: scope.uniform ? exchange(scope, chance(50)) : warp_operation(scope); break;
  default: scope.uniform ? balanced_barriers(scope) : branch(scope); break;
  }
}

} // namespace tollgate::differential
