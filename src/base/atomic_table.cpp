#include "base/atomic_table.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace tollgate {

namespace {

#define TOLLGATE_ATOMIC_ARCHS(...) constexpr std::array archs{__VA_ARGS__};
#define TOLLGATE_ATOMIC(...)
#include "base/atomic_table.inc"
#undef TOLLGATE_ATOMIC_ARCHS
#undef TOLLGATE_ATOMIC

#define TOLLGATE_ATOMIC_ARCHS(...)
#define TOLLGATE_ATOMIC(...) AtomicRow{__VA_ARGS__},
constexpr AtomicRow rows[] = {
#include "base/atomic_table.inc"
};
#undef TOLLGATE_ATOMIC_ARCHS
#undef TOLLGATE_ATOMIC

struct Name {
  std::string_view ptx, table;
};
constexpr Name functions[] = {{"add", "Add"}, {"min", "Min"}, {"max", "Max"}, {"inc", "Inc"},   {"dec", "Dec"},
                              {"and", "And"}, {"or", "Or"},   {"xor", "Xor"}, {"exch", "Exch"}, {"cas", "CAS"}};
constexpr Name types[] = {{"s32", "int"},   {"u32", "unsigned"}, {"b32", "unsigned"}, {"u64", "u64"},
                          {"s64", "i64"},   {"b64", "u64"},      {"b128", "b128"},    {"b16", "u16"},
                          {"f16", "half"},  {"f16x2", "half2"},  {"bf16", "bf16"},    {"bf16x2", "bf162"},
                          {"f32", "float"}, {"f64", "double"}};

// The table's name for the first of the dot-separated parts of an instruction that has one.
template <size_t n> std::string_view part_of(std::string_view instruction, const Name (&names)[n]) {
  for (size_t at = 0; at < instruction.size();) {
    const size_t end = std::min(instruction.find('.', at), instruction.size());
    const std::string_view part = instruction.substr(at, end - at);
    for (const Name& name : names)
      if (name.ptx == part) return name.table;
    at = end + 1;
  }
  return {};
}

std::string rate(double value) {
  char digits[32] = "";
  if (value >= 100) {
    std::snprintf(digits, sizeof digits, "%.0f", value);
  } else if (value > 0) {
    std::snprintf(digits, sizeof digits, "%.3g", value);
  }
  return digits;
}

} // namespace

std::span<const AtomicRow> atomic_rows() { return rows; }
std::span<const int> atomic_archs() { return archs; }

AtomicState atomic_state(const AtomicRow& row, int sm) {
  size_t column = 0;
  while (column + 1 < archs.size() && archs[column + 1] <= sm) ++column;
  return static_cast<AtomicState>(row.states[column]);
}

AtomicState atomic_state(std::string_view instruction, std::string_view space, int sm) {
  const std::string_view function = part_of(instruction, functions);
  std::string_view type = part_of(instruction, types);
  // PTX adds 64-bit numbers as unsigned ones; vectors of numbers are added in global memory only.
  if (type == "i64" && function == "Add") type = "u64";
  if (type == "float" && instruction.find(".v2.") != std::string_view::npos) type = "float2";
  if (type == "float" && instruction.find(".v4.") != std::string_view::npos) type = "float4";
  const auto row = std::ranges::find_if(
      rows, [&](const AtomicRow& r) { return r.function == function && r.key == type && r.space == space; });
  return row == std::end(rows) ? AtomicState::None : atomic_state(*row, sm);
}

std::string atomic_alternatives(std::string_view instruction, int sm) {
  std::string_view function = part_of(instruction, functions);
  if (function.empty() || function == "CAS") function = "Add"; // a loop that a header wrote for atomicAdd
  std::string text = "atomic" + std::string(function) + " is one instruction";
  for (const std::string_view space : {"shared", "global"}) {
    std::string list;
    for (const AtomicRow& row : rows)
      if (row.function == function && row.space == space && atomic_state(row, sm) == AtomicState::Native)
        list += (list.empty() ? " for " : ", ") + std::string(row.type);
    if (!list.empty()) text += (space == "global" ? " and" : "") + list + " in " + std::string(space) + " memory";
  }
  return text;
}

std::string atomic_text(int sm) {
  std::string text =
      "Atomic functions on sm_" + std::to_string(sm) +
      ": one instruction, or a loop around compare-and-swap; billions a second on an H200 (all threads at "
      "one address, at neighbouring ones)\n";
  char line[160];
  for (const AtomicRow& row : rows) {
    const AtomicState state = atomic_state(row, sm);
    if (state == AtomicState::None) continue;
    const char* word = state == AtomicState::Native ? "instruction" : state == AtomicState::Loop ? "loop" : "traps";
    std::snprintf(line, sizeof line, "atomic%-5s %-19s %-7s %-12s %8s %8s\n", std::string(row.function).c_str(),
                  std::string(row.type).c_str(), std::string(row.space).c_str(), word, rate(row.one_address).c_str(),
                  rate(row.neighbours).c_str());
    text += line;
  }
  return text;
}

} // namespace tollgate
