#include "ptx/inst_table.h"

#include "ptx/form_pattern.h"

namespace tollgate::ptx {
namespace {

constexpr std::string_view opcode_names[] = {
#define OPCODE(id, name) name,
#include "ptx/ptx_inst.def"
};

constexpr InstForm forms[] = {
#define INST(opcode, syntax, slots, implied, flags, section, min_ptx, min_sm)                                          \
  {Opcode::opcode, opcode_names[static_cast<size_t>(Opcode::opcode)], syntax, slots, implied, flags, section, min_ptx, min_sm},
#include "ptx/ptx_inst.def"
};

} // namespace

std::span<const InstForm> inst_table() { return forms; }
std::string_view to_string(Opcode opcode) { return opcode_names[static_cast<size_t>(opcode)]; }
std::size_t opcode_count() { return std::size(opcode_names); }

bool writes_first_operand(const InstForm& form) {
  if (form.opcode == Opcode::Call) return true;
  const auto& operands = pattern_of(form).operands.front();
  return !operands.empty() &&
         (operands.front() == OperandShape::Destination || operands.front() == OperandShape::DestinationPair);
}

} // namespace tollgate::ptx
