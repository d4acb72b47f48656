#include "ptx/modifier_codec.h"

#include "ptx/names.h"

#include <algorithm>
#include <span>

namespace tollgate::ptx {
namespace {

struct Named {
  std::string_view name;
  uint8_t value;
};
template <typename E> constexpr uint8_t raw(E value) { return static_cast<uint8_t>(value); }

constexpr Named roundings[] = {{"rn", raw(Rounding::RN)},   {"rz", raw(Rounding::RZ)},   {"rm", raw(Rounding::RM)},
                               {"rp", raw(Rounding::RP)},   {"rna", raw(Rounding::RNA)}, {"rs", raw(Rounding::RS)},
                               {"rni", raw(Rounding::RNI)}, {"rzi", raw(Rounding::RZI)}, {"rmi", raw(Rounding::RMI)},
                               {"rpi", raw(Rounding::RPI)}};
constexpr Named comparisons[] = {{"eq", raw(CmpOp::EQ)},   {"ne", raw(CmpOp::NE)},   {"lt", raw(CmpOp::LT)},
                                 {"le", raw(CmpOp::LE)},   {"gt", raw(CmpOp::GT)},   {"ge", raw(CmpOp::GE)},
                                 {"lo", raw(CmpOp::LO)},   {"ls", raw(CmpOp::LS)},   {"hi", raw(CmpOp::HI)},
                                 {"hs", raw(CmpOp::HS)},   {"equ", raw(CmpOp::EQU)}, {"neu", raw(CmpOp::NEU)},
                                 {"ltu", raw(CmpOp::LTU)}, {"leu", raw(CmpOp::LEU)}, {"gtu", raw(CmpOp::GTU)},
                                 {"geu", raw(CmpOp::GEU)}, {"num", raw(CmpOp::NUM)}, {"nan", raw(CmpOp::NAN_)}};
constexpr Named operations[] = {{"add", raw(Op::Add)}, {"inc", raw(Op::Inc)},   {"dec", raw(Op::Dec)},
                                {"min", raw(Op::Min)}, {"max", raw(Op::Max)},   {"exch", raw(Op::Exch)},
                                {"cas", raw(Op::Cas)}, {"and", raw(Op::And)},   {"or", raw(Op::Or)},
                                {"xor", raw(Op::Xor)}, {"popc", raw(Op::Popc)}, {"all", raw(Op::All)},
                                {"any", raw(Op::Any)}, {"uni", raw(Op::Uni)},   {"ballot", raw(Op::Ballot)}};
constexpr Named modes[] = {{"lo", raw(Mode::Lo)},
                           {"hi", raw(Mode::Hi)},
                           {"wide", raw(Mode::Wide)},
                           {"l", raw(Mode::Left)},
                           {"r", raw(Mode::Right)},
                           {"up", raw(Mode::Up)},
                           {"down", raw(Mode::Down)},
                           {"bfly", raw(Mode::Bfly)},
                           {"idx", raw(Mode::Idx)},
                           {"f4e", raw(Mode::F4e)},
                           {"b4e", raw(Mode::B4e)},
                           {"rc8", raw(Mode::Rc8)},
                           {"ecl", raw(Mode::Ecl)},
                           {"ecr", raw(Mode::Ecr)},
                           {"rc16", raw(Mode::Rc16)},
                           {"finite", raw(Mode::Finite)},
                           {"infinite", raw(Mode::Infinite)},
                           {"number", raw(Mode::Number)},
                           {"notanumber", raw(Mode::NotANumber)},
                           {"normal", raw(Mode::Normal)},
                           {"subnormal", raw(Mode::Subnormal)}};
constexpr Named semantics[] = {{"weak", raw(Semantics::Weak)},
                               {"volatile", raw(Semantics::Volatile)},
                               {"relaxed", raw(Semantics::Relaxed)},
                               {"acquire", raw(Semantics::Acquire)},
                               {"release", raw(Semantics::Release)},
                               {"acq_rel", raw(Semantics::AcqRel)},
                               {"sc", raw(Semantics::SC)}};
constexpr Named scopes[] = {{"cta", raw(Scope::Cta)},
                            {"cluster", raw(Scope::Cluster)},
                            {"gpu", raw(Scope::Gpu)},
                            {"gl", raw(Scope::Gpu)},
                            {"sys", raw(Scope::Sys)}};
constexpr uint8_t in_cluster = 0x80;
constexpr Named spaces[] = {{"const", raw(Space::Const)},
                            {"global", raw(Space::Global)},
                            {"local", raw(Space::Local)},
                            {"param", raw(Space::Param)},
                            {"param::entry", raw(Space::Param)},
                            {"param::func", raw(Space::Param)},
                            {"shared", raw(Space::Shared)},
                            {"shared::cta", raw(Space::Shared)},
                            {"shared::cluster", raw(Space::Shared) | in_cluster}};
constexpr Named vectors[] = {{"v2", 2}, {"v4", 4}, {"v8", 8}};
constexpr Named halves[] = {{"lo", 0}, {"hi", 1}};

struct Flag {
  std::string_view name;
  bool Modifiers::* member;
};
constexpr Flag flags[] = {{"to", &Modifiers::to},
                          {"ftz", &Modifiers::ftz},
                          {"noftz", &Modifiers::noftz},
                          {"sat", &Modifiers::sat},
                          {"satfinite", &Modifiers::satfinite},
                          {"relu", &Modifiers::relu},
                          {"approx", &Modifiers::approx},
                          {"full", &Modifiers::full},
                          {"NaN", &Modifiers::nan},
                          {"xorsign", &Modifiers::xorsign_abs},
                          {"abs", &Modifiers::xorsign_abs},
                          {"cc", &Modifiers::cc},
                          {"wrap", &Modifiers::wrap},
                          {"clamp", &Modifiers::clamp},
                          {"shiftamt", &Modifiers::shiftamt},
                          {"sync", &Modifiers::sync},
                          {"aligned", &Modifiers::aligned},
                          {"uni", &Modifiers::uni},
                          {"nc", &Modifiers::nc},
                          {"parity", &Modifiers::parity},
                          {"noComplete", &Modifiers::no_complete},
                          {"noinc", &Modifiers::no_inc},
                          {"proxy", &Modifiers::proxy}};

// The modes that a form implies rather than spells.
constexpr Named implied_modes[] = {{"Hi", raw(Mode::Hi)},
                                   {"Sync", raw(Mode::Sync)},
                                   {"Arrive", raw(Mode::Arrive)},
                                   {"Red", raw(Mode::Red)},
                                   {"WarpSync", raw(Mode::WarpSync)},
                                   {"Init", raw(Mode::Init)},
                                   {"Inval", raw(Mode::Inval)},
                                   {"ExpectTx", raw(Mode::ExpectTx)},
                                   {"CompleteTx", raw(Mode::CompleteTx)},
                                   {"ArriveDrop", raw(Mode::ArriveDrop)},
                                   {"ArriveExpectTx", raw(Mode::ArriveExpectTx)},
                                   {"ArriveDropExpectTx", raw(Mode::ArriveDropExpectTx)},
                                   {"TestWait", raw(Mode::TestWait)},
                                   {"TryWait", raw(Mode::TryWait)},
                                   {"PendingCount", raw(Mode::PendingCount)},
                                   {"Commit", raw(Mode::Commit)},
                                   {"WaitGroup", raw(Mode::WaitGroup)},
                                   {"WaitAll", raw(Mode::WaitAll)},
                                   {"MbarrierArrive", raw(Mode::MbarrierArrive)}};

const Named* find(std::span<const Named> table, std::string_view name) {
  const auto it = std::ranges::find(table, name, &Named::name);
  return it == table.end() ? nullptr : &*it;
}

struct SlotKind {
  std::string_view slot;
  ModKind kind;
  std::span<const Named> table;
};
// Slots whose name decides how their values are read: .hi is a comparison in setp and half a product in mul.
constexpr SlotKind slot_kinds[] = {{"CmpOp", ModKind::Cmp, comparisons}, {"BoolOp", ModKind::Op, operations},
                                   {"op", ModKind::Op, operations},      {"mode", ModKind::Mode, modes},
                                   {"dir", ModKind::Mode, modes},        {"half", ModKind::HiLo, halves},
                                   {"src", ModKind::Space2, spaces},     {"level", ModKind::Scope, scopes}};
// Without such a slot the word itself decides.
constexpr SlotKind word_kinds[] = {{"", ModKind::Round, roundings},
                                   {"", ModKind::Sem, semantics},
                                   {"", ModKind::Scope, scopes},
                                   {"", ModKind::Space, spaces},
                                   {"", ModKind::Vec, vectors}};

void apply_space(uint8_t value, Space& space, bool& cluster) {
  space = static_cast<Space>(value & ~in_cluster);
  cluster = (value & in_cluster) != 0;
}
uint8_t space_value(Space space, bool cluster) { return raw(space) | (cluster ? in_cluster : 0); }

} // namespace

ModValue decode_modifier(std::string_view slot, std::string_view text, bool optional) {
  for (const SlotKind& entry : slot_kinds) {
    if (entry.slot != slot) continue;
    if (const Named* named = find(entry.table, text)) return {text, entry.kind, named->value};
  }
  for (const SlotKind& entry : word_kinds) {
    if (const Named* named = find(entry.table, text)) return {text, entry.kind, named->value};
  }
  for (size_t i = 0; i < std::size(flags); ++i) {
    if (flags[i].name == text) return {text, ModKind::Flag, static_cast<uint8_t>(i)};
  }
  if (const auto type = type_named(text)) return {text, ModKind::Type, raw(*type)};
  return {text, slot.empty() && !optional ? ModKind::Inert : ModKind::Ignored, 0};
}

void apply_modifier(const ModValue& value, Modifiers& mods, unsigned& type_count) {
  switch (value.kind) {
  case ModKind::Inert: break;
  case ModKind::Ignored: mods.ignored.emplace_back(value.text); break;
  case ModKind::Type:
    if (type_count < mods.types.size()) mods.types[type_count++] = static_cast<Type>(value.value);
    break;
  case ModKind::Space: apply_space(value.value, mods.space, mods.cluster_space); break;
  case ModKind::Space2: apply_space(value.value, mods.space2, mods.cluster_space2); break;
  case ModKind::Round: mods.rounding = static_cast<Rounding>(value.value); break;
  case ModKind::Cmp: mods.cmp = static_cast<CmpOp>(value.value); break;
  case ModKind::Op: mods.op = static_cast<Op>(value.value); break;
  case ModKind::Mode: mods.mode = static_cast<Mode>(value.value); break;
  case ModKind::Sem: mods.sem = static_cast<Semantics>(value.value); break;
  case ModKind::Scope: mods.scope = static_cast<Scope>(value.value); break;
  case ModKind::Vec: mods.vec = value.value; break;
  case ModKind::Flag: mods.*flags[value.value].member = true; break;
  case ModKind::HiLo: mods.hi_lo_pair = value.value != 0; break;
  }
}

bool holds_modifier(const ModValue& value, const Modifiers& mods, unsigned type_index) {
  switch (value.kind) {
  case ModKind::Inert: return false;
  case ModKind::Ignored: return std::ranges::find(mods.ignored, value.text) != mods.ignored.end();
  case ModKind::Type: return type_index < mods.types.size() && raw(mods.types[type_index]) == value.value;
  case ModKind::Space: return space_value(mods.space, mods.cluster_space) == value.value;
  case ModKind::Space2: return space_value(mods.space2, mods.cluster_space2) == value.value;
  case ModKind::Round: return raw(mods.rounding) == value.value;
  case ModKind::Cmp: return raw(mods.cmp) == value.value;
  case ModKind::Op: return raw(mods.op) == value.value;
  case ModKind::Mode: return raw(mods.mode) == value.value;
  case ModKind::Sem: return raw(mods.sem) == value.value;
  case ModKind::Scope: return raw(mods.scope) == value.value;
  case ModKind::Vec: return mods.vec == value.value;
  case ModKind::Flag: return mods.*flags[value.value].member;
  case ModKind::HiLo: return mods.hi_lo_pair == (value.value != 0);
  }
  return false;
}

void apply_implied(std::string_view implied, Modifiers& mods) {
  while (!implied.empty()) {
    const auto space = std::min(implied.find(' '), implied.size());
    const std::string_view word = implied.substr(0, space);
    implied.remove_prefix(std::min(space + 1, implied.size()));
    if (word == "sem=SC") mods.sem = Semantics::SC;
    if (word == "sem=Mmio") mods.sem = Semantics::Mmio;
    if (word == "aligned") mods.aligned = true;
    if (!word.starts_with("mode=")) continue;
    if (const Named* named = find(implied_modes, word.substr(5))) mods.mode = static_cast<Mode>(named->value);
  }
}

} // namespace tollgate::ptx
