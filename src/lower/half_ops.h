// 16-bit floats: f16 and bf16 as bit patterns (i16), computed in f32 or f64 and rounded once.
#pragma once

#include "lower/float_ops.h"

namespace tollgate::lower {

enum class HalfFormat { F16, BF16 };

HalfFormat half_format(Type type); // of F16, F16x2, BF16, BF16x2
inline bool is_packed_half(Type type) { return type == Type::F16x2 || type == Type::BF16x2; }

Value* half_to_f32(LaneBuilder& lb, Value* bits, HalfFormat format); // exact
// Rounds an f32 (exact, or rounded to odd) to 16 bits; NaN gives 0x7fff.
Value* f32_to_half(LaneBuilder& lb, Value* f32, HalfFormat format, Rounding rounding = Rounding::RN);
// Overflow gives the largest finite value instead of infinity (.satfinite).
Value* clamp_to_finite(LaneBuilder& lb, Value* bits, HalfFormat format);
// Subnormal -> zero of the same sign.
Value* flush_half(LaneBuilder& lb, Value* bits, HalfFormat format);

// A source of type F16 or BF16 as bits, and the write of such a destination.
Value* half_source(LaneBuilder& lb, const Instruction& inst, size_t index, Type type);
void half_result(LaneBuilder& lb, const Instruction& inst, Type type, Value* bits);

// An F32, F16 or BF16 source as f32 (mixed-precision forms).
Value* source_as_f32(LaneBuilder& lb, const Instruction& inst, size_t index, Type type);

} // namespace tollgate::lower
