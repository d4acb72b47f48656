// Pieces that the floating-point chapters share: flushing, canonical NaNs, saturation, exact narrowing.
#pragma once

#include "lower/lane_builder.h"
#include "lower/ops.h"

namespace tollgate::lower {

// Subnormal f32 -> zero of the same sign.
Value* flush_f32(LaneBuilder& lb, Value* f32);
// NaN f32 -> 0x7fffffff, if the builder asks for it (LaneBuilder::canonical_nans).
Value* canonical_nan(LaneBuilder& lb, Value* f32);
// [0, 1], NaN -> +0, for any float type.
Value* saturate(LaneBuilder& lb, Value* value);
// Negative -> +0, NaN stays.
Value* clamp_negative(LaneBuilder& lb, Value* value);

// An f32 or f64 source with .ftz applied.
Value* float_source(LaneBuilder& lb, const Instruction& inst, size_t index, Type type);
// Writes an f32 or f64 result with .ftz, .sat and the canonical NaN applied.
void float_result(LaneBuilder& lb, const Instruction& inst, Type type, Value* value);
// The same without the write and without .ftz.
Value* finish_float(LaneBuilder& lb, const Instruction& inst, Value* value);
// .ftz of a rounded f32 result. The hardware flushes what is below the least normal number when rounded with an
// unbounded exponent, so 2^-126 * (1 - 2^-24) goes to zero although it rounds to 2^-126. `scaled` is the same result
// computed from operands made 2^24 times larger.
Value* flush_result(LaneBuilder& lb, Value* rounded, Value* scaled);
inline constexpr double flush_scale = 0x1p24;

Value* float_constant(Value* like, double value);
Value* bits_of(LaneBuilder& lb, Value* floating);
Value* is_nan(LaneBuilder& lb, Value* floating);
Value* not_nan(LaneBuilder& lb, Value* floating);

// min and max as PTX defines them: -0 < +0; a NaN gives way to the other operand unless .NaN; .xorsign.abs.
Value* float_min_max(LaneBuilder& lb, const Instruction& inst, Value* a, Value* b, bool is_max);

// a + b with the last bit odd when it is inexact: a later rounding to fewer bits is then correct ("round to odd").
Value* add_to_odd(LaneBuilder& lb, Value* a, Value* b);
// f64 -> f32, rounded to odd or as the mode says.
Value* narrow_to_odd(LaneBuilder& lb, Value* f64);
Value* narrow_to_f32(LaneBuilder& lb, Value* f64, Rounding rounding);

// Given the nearest value (as bits, with its sign) and how the exact value compares, steps to the value that a directed
// mode asks for. `too_big` / `too_small`: the nearest value lies above / below the exact one.
Value* step_directed(LaneBuilder& lb, Value* bits, Value* too_big, Value* too_small, Rounding rounding);

bool is_directed(Rounding rounding);
const char* rounding_suffix(Rounding rounding); // "rz"; "rn" for none

} // namespace tollgate::lower
