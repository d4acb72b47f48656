// One modifier as written (".relaxed") <-> the slot of Modifiers it decodes into.
#pragma once

#include "ptx/module.h"

#include <string_view>

namespace tollgate::ptx {

enum class ModKind : uint8_t {
  Inert,   // part of the form's name: .async, .range
  Ignored, // a hint: kept by name only
  Type, Space, Space2, Round, Cmp, Op, Mode, Sem, Scope, Vec,
  Flag,    // value indexes the table of bool members
  HiLo,
};

struct ModValue {
  std::string_view text; // without the dot
  ModKind kind = ModKind::Inert;
  uint8_t value = 0;
};

// `slot` is the slot's name, empty for a modifier that the syntax spells out; `optional` where it may be absent.
ModValue decode_modifier(std::string_view slot, std::string_view text, bool optional);

// Writes the value into `mods`; `type_count` counts the type suffixes so far.
void apply_modifier(const ModValue& value, Modifiers& mods, unsigned& type_count);

// Whether `mods` could come from writing the value; the inverse of apply_modifier, used to print.
bool holds_modifier(const ModValue& value, const Modifiers& mods, unsigned type_index);

// Applies the `implied` column of a form: "mode=Sync aligned".
void apply_implied(std::string_view implied, Modifiers& mods);

} // namespace tollgate::ptx
