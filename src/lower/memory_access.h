// What asynchronous forms share with ld, st, atom and red (memory.cpp).
#pragma once

#include "lower/body.h"

#include <optional>

namespace tollgate::lower {

std::optional<simd::AtomOp> atom_op(const ptx::Modifiers& mods);
void lower_store(BodyLowering& b, const ptx::Instruction& inst);
// atom d, [a], b{, c} and red [a], b: the same but for the destination.
void lower_atomic(BodyLowering& b, const ptx::Instruction& inst, bool has_destination);

} // namespace tollgate::lower
