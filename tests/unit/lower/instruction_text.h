// A reader of single instructions for these tests; it knows the modifiers of the pure instructions only.
#pragma once

#include "ptx/inst_table.h"
#include "ptx/module.h"

#include <string>
#include <string_view>

namespace tollgate::test {

struct ParsedInstruction {
  ptx::Instruction instruction; // `form` is left for the caller, who owns the copy of it
  ptx::InstForm form{};
  std::string name;
};

ParsedInstruction parse_instruction(std::string_view text);

} // namespace tollgate::test
