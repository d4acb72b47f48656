// What one PTX instruction computes for one thread: instructions whose result depends on their operands only.
// Part of the scalar interpreter: its own reading of the manual, sharing no code with the engine.
#pragma once

#include "ptx/module.h"

#include <cstdint>
#include <optional>
#include <span>

namespace tollgate::differential {

// Bits of `value` beyond the width of `type` are dropped.
uint64_t truncate(uint64_t value, ptx::Type type);
// `value`, of the given type, extended to 64 bits by sign or with zeros.
uint64_t extend(uint64_t value, ptx::Type type);
// setp and set: whether `a op b`.
bool compare(ptx::CmpOp op, ptx::Type type, uint64_t a, uint64_t b);
// The new value of a memory cell for atom and red; `b` and `c` are the operands.
uint64_t atomic_result(ptx::Op op, ptx::Type type, uint64_t old, uint64_t b, uint64_t c);
// Which type operand `index` (0: the destination) is read or written with.
ptx::Type operand_type(const ptx::Instruction& inst, unsigned index);
// The result, or nothing if the instruction is not one of the core subset. `in` holds the source operands' bits.
std::optional<uint64_t> evaluate(const ptx::Instruction& inst, std::span<const uint64_t> in);

} // namespace tollgate::differential
