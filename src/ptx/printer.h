// Module -> PTX text that parses back to an equal module. Scopes are flat in a parsed module, so names that shadowed
// one another come out with a suffix.
#pragma once

#include "ptx/module.h"

#include <string>

namespace tollgate::ptx {

std::string print(const Module& module);
// One instruction, without the final newline: "@!%p1 add.s32 %r1, %r2, 4;". For messages and traces.
std::string print(const Module& module, const Function& function, const Instruction& instruction);
// Opcode and modifiers only: "atom.relaxed.gpu.global.add.u32".
std::string print_opcode(const Instruction& instruction);

} // namespace tollgate::ptx
