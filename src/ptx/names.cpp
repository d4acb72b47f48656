// Names and widths of the types, spaces and special registers of PTX.
#include "ptx/names.h"

#include "ptx/module.h"

#include <unordered_map>

namespace tollgate::ptx {
namespace {

struct TypeInfo {
  std::string_view name;
  uint8_t bits;
  bool floating, is_signed;
};

// Indexed by Type.
constexpr TypeInfo type_info[] = {
    {"none", 0, false, false},  {"pred", 1, false, false},  {"b8", 8, false, false},     {"b16", 16, false, false},
    {"b32", 32, false, false},  {"b64", 64, false, false},  {"b128", 128, false, false}, {"u8", 8, false, false},
    {"u16", 16, false, false},  {"u32", 32, false, false},  {"u64", 64, false, false},   {"s8", 8, false, true},
    {"s16", 16, false, true},   {"s32", 32, false, true},   {"s64", 64, false, true},    {"f16", 16, true, false},
    {"f16x2", 32, true, false}, {"bf16", 16, true, false},  {"bf16x2", 32, true, false}, {"f32", 32, true, false},
    {"f64", 64, true, false},   {"f32x2", 64, true, false}, {"u16x2", 32, false, false}, {"s16x2", 32, false, true},
    {"tf32", 32, true, false},  {"e4m3", 8, true, false},   {"e5m2", 8, true, false},    {"e4m3x2", 16, true, false},
    {"e5m2x2", 16, true, false}};
static_assert(std::size(type_info) == static_cast<size_t>(Type::E5M2x2) + 1);

constexpr std::string_view space_names[] = {"generic", "reg", "const", "global", "local", "param", "shared"};

// Indexed by SpecialReg.
constexpr std::string_view special_names[] = {"%tid.x",
                                              "%tid.y",
                                              "%tid.z",
                                              "%ntid.x",
                                              "%ntid.y",
                                              "%ntid.z",
                                              "%ctaid.x",
                                              "%ctaid.y",
                                              "%ctaid.z",
                                              "%nctaid.x",
                                              "%nctaid.y",
                                              "%nctaid.z",
                                              "%laneid",
                                              "%warpid",
                                              "%nwarpid",
                                              "%smid",
                                              "%nsmid",
                                              "%gridid",
                                              "%lanemask_eq",
                                              "%lanemask_le",
                                              "%lanemask_lt",
                                              "%lanemask_ge",
                                              "%lanemask_gt",
                                              "%clock",
                                              "%clock_hi",
                                              "%clock64",
                                              "%globaltimer",
                                              "%globaltimer_lo",
                                              "%globaltimer_hi",
                                              "%dynamic_smem_size",
                                              "%total_smem_size",
                                              "%aggr_smem_size",
                                              "%reserved_smem_offset_begin",
                                              "%reserved_smem_offset_end",
                                              "%reserved_smem_offset_cap",
                                              "%envreg0",
                                              "%envreg1",
                                              "%envreg2",
                                              "%envreg3",
                                              "%envreg4",
                                              "%clusterid.x",
                                              "%clusterid.y",
                                              "%clusterid.z",
                                              "%nclusterid.x",
                                              "%nclusterid.y",
                                              "%nclusterid.z",
                                              "%cluster_ctaid.x",
                                              "%cluster_ctaid.y",
                                              "%cluster_ctaid.z",
                                              "%cluster_nctaid.x",
                                              "%cluster_nctaid.y",
                                              "%cluster_nctaid.z",
                                              "%cluster_ctarank",
                                              "%cluster_nctarank",
                                              "%is_explicit_cluster",
                                              "%current_graph_exec",
                                              "%pm0",
                                              "%reserved_smem_offset_0",
                                              "%reserved_smem_offset_1"};
static_assert(std::size(special_names) == static_cast<size_t>(SpecialReg::ReservedSmemOffset1) + 1);

// %envreg4 .. %envreg31 all read as zero; %pm1 .. %pm7 and their 64-bit twins read like %pm0 (PTX ISA 10.27, 10.29).
std::optional<SpecialReg> numbered_special(std::string_view name) {
  if (name.starts_with("%envreg") && name.size() > 7 && name.size() <= 9) return SpecialReg::EnvregOther;
  if (name.starts_with("%pm") && name.size() >= 4 && name[3] >= '0' && name[3] <= '7') return SpecialReg::Pm0;
  return std::nullopt;
}

} // namespace

unsigned bit_width(Type type) { return type_info[static_cast<size_t>(type)].bits; }
bool is_float(Type type) { return type_info[static_cast<size_t>(type)].floating; }
bool is_signed(Type type) { return type_info[static_cast<size_t>(type)].is_signed; }
std::string_view to_string(Type type) { return type_info[static_cast<size_t>(type)].name; }
std::string_view to_string(Space space) { return space_names[static_cast<size_t>(space)]; }
std::string_view to_string(SpecialReg reg) { return special_names[static_cast<size_t>(reg)]; }

std::optional<Type> type_named(std::string_view name) {
  static const auto* by_name = [] {
    auto* map = new std::unordered_map<std::string_view, Type>;
    for (size_t i = 1; i < std::size(type_info); ++i) map->emplace(type_info[i].name, static_cast<Type>(i));
    return map;
  }();
  const auto it = by_name->find(name);
  return it == by_name->end() ? std::nullopt : std::optional(it->second);
}

std::optional<SpecialReg> special_named(std::string_view name) {
  static const auto* by_name = [] {
    auto* map = new std::unordered_map<std::string_view, SpecialReg>;
    for (size_t i = 0; i < std::size(special_names); ++i) map->emplace(special_names[i], static_cast<SpecialReg>(i));
    return map;
  }();
  const auto it = by_name->find(name);
  return it == by_name->end() ? numbered_special(name) : std::optional(it->second);
}

const Function* Module::find_function(std::string_view function_name) const {
  for (const Function& function : functions) {
    if (function.name == function_name) return &function;
  }
  return nullptr;
}

} // namespace tollgate::ptx
