// The rows of ptx_inst.def, compiled: what modifiers and operands each form takes.
#pragma once

#include "ptx/inst_table.h"
#include "ptx/modifier_codec.h"

#include <string>
#include <string_view>
#include <vector>

namespace tollgate::ptx {

struct ModSlot {
  std::vector<ModValue> values;
  bool optional = false;
  bool literal = false; // spelled out in the syntax
};

enum class OperandShape : uint8_t { Destination, DestinationPair, Value, Predicate, Address, Label, LabelList };

struct FormPattern {
  const InstForm* form = nullptr;
  std::vector<std::string_view> prefix; // the parts of the opcode: {"cp", "async"}
  std::vector<ModSlot> slots;
  std::vector<std::vector<OperandShape>> operands; // one list for each choice of optional operands
  bool open = false;                    // ends in "...": anything may follow
};

// The pattern of inst_table()[i] is form_patterns()[i].
const std::vector<FormPattern>& form_patterns();
const FormPattern& pattern_of(const InstForm& form);

// The forms whose opcode starts with the given word ("cp" for cp.async and cp.async.bulk), in table order.
const std::vector<uint16_t>& forms_starting_with(std::string_view word);
// Every word that starts an opcode, for "did you mean".
const std::vector<std::string_view>& opcode_words();

// Fits the modifiers of an instruction (without the opcode's own parts) into the form's slots and decodes them.
// Any order is accepted as long as types keep theirs: compilers differ on where .sync, the space and the scope stand.
bool match_modifiers(const FormPattern& pattern, const std::vector<std::string_view>& words, Modifiers& mods);

// "add.rn.ftz.f32": opcode and modifiers as the form orders them.
std::string spell(const FormPattern& pattern, const Modifiers& mods);

} // namespace tollgate::ptx
