// What each chapter contributes to the table in arithmetic.cpp. Opcodes that stand in several chapters of the manual
// (add, min, ...) have one function in each; arithmetic.cpp picks by type.
#pragma once

#include "lower/lane_builder.h"

namespace tollgate::lower {

// 9.7.1 Integer arithmetic
void lower_integer_add(LaneBuilder&, const ptx::Instruction&);
void lower_integer_sub(LaneBuilder&, const ptx::Instruction&);
void lower_integer_mul(LaneBuilder&, const ptx::Instruction&);
void lower_integer_mad(LaneBuilder&, const ptx::Instruction&);
void lower_mul24(LaneBuilder&, const ptx::Instruction&);
void lower_mad24(LaneBuilder&, const ptx::Instruction&);
void lower_sad(LaneBuilder&, const ptx::Instruction&);
void lower_integer_div(LaneBuilder&, const ptx::Instruction&);
void lower_rem(LaneBuilder&, const ptx::Instruction&);
void lower_integer_abs(LaneBuilder&, const ptx::Instruction&);
void lower_integer_neg(LaneBuilder&, const ptx::Instruction&);
void lower_integer_min(LaneBuilder&, const ptx::Instruction&);
void lower_integer_max(LaneBuilder&, const ptx::Instruction&);
void lower_popc(LaneBuilder&, const ptx::Instruction&);
void lower_clz(LaneBuilder&, const ptx::Instruction&);
void lower_bfind(LaneBuilder&, const ptx::Instruction&);
void lower_fns(LaneBuilder&, const ptx::Instruction&);
void lower_brev(LaneBuilder&, const ptx::Instruction&);
void lower_bfe(LaneBuilder&, const ptx::Instruction&);
void lower_bfi(LaneBuilder&, const ptx::Instruction&);
void lower_bmsk(LaneBuilder&, const ptx::Instruction&);
void lower_szext(LaneBuilder&, const ptx::Instruction&);
// video.cpp: the dot products of 9.7.1
void lower_dp4a(LaneBuilder&, const ptx::Instruction&);
void lower_dp2a(LaneBuilder&, const ptx::Instruction&);

// 9.7.2 Extended-precision integer arithmetic
void lower_add_carry(LaneBuilder&, const ptx::Instruction&);
void lower_addc(LaneBuilder&, const ptx::Instruction&);
void lower_sub_carry(LaneBuilder&, const ptx::Instruction&);
void lower_subc(LaneBuilder&, const ptx::Instruction&);
void lower_mad_carry(LaneBuilder&, const ptx::Instruction&);
void lower_madc(LaneBuilder&, const ptx::Instruction&);

// 9.7.3 Floating point: f32, f64, f32x2 and the mixed-precision forms of 9.7.5
void lower_float_add(LaneBuilder&, const ptx::Instruction&);
void lower_float_sub(LaneBuilder&, const ptx::Instruction&);
void lower_float_mul(LaneBuilder&, const ptx::Instruction&);
void lower_float_fma(LaneBuilder&, const ptx::Instruction&);
void lower_float_div(LaneBuilder&, const ptx::Instruction&);
void lower_float_abs(LaneBuilder&, const ptx::Instruction&);
void lower_float_neg(LaneBuilder&, const ptx::Instruction&);
void lower_float_min(LaneBuilder&, const ptx::Instruction&);
void lower_float_max(LaneBuilder&, const ptx::Instruction&);
void lower_float_ex2(LaneBuilder&, const ptx::Instruction&);
void lower_float_tanh(LaneBuilder&, const ptx::Instruction&);
void lower_rcp(LaneBuilder&, const ptx::Instruction&);
void lower_sqrt(LaneBuilder&, const ptx::Instruction&);
void lower_rsqrt(LaneBuilder&, const ptx::Instruction&);
void lower_sin(LaneBuilder&, const ptx::Instruction&);
void lower_cos(LaneBuilder&, const ptx::Instruction&);
void lower_lg2(LaneBuilder&, const ptx::Instruction&);
void lower_testp(LaneBuilder&, const ptx::Instruction&);
void lower_copysign(LaneBuilder&, const ptx::Instruction&);

// 9.7.4 Half precision: f16, f16x2, bf16, bf16x2
void lower_half_add(LaneBuilder&, const ptx::Instruction&);
void lower_half_sub(LaneBuilder&, const ptx::Instruction&);
void lower_half_mul(LaneBuilder&, const ptx::Instruction&);
void lower_half_fma(LaneBuilder&, const ptx::Instruction&);
void lower_half_abs(LaneBuilder&, const ptx::Instruction&);
void lower_half_neg(LaneBuilder&, const ptx::Instruction&);
void lower_half_min(LaneBuilder&, const ptx::Instruction&);
void lower_half_max(LaneBuilder&, const ptx::Instruction&);
void lower_half_ex2(LaneBuilder&, const ptx::Instruction&);
void lower_half_tanh(LaneBuilder&, const ptx::Instruction&);

// 9.7.6 and 9.7.7 Comparison and selection
void lower_set(LaneBuilder&, const ptx::Instruction&);
void lower_setp(LaneBuilder&, const ptx::Instruction&);
void lower_selp(LaneBuilder&, const ptx::Instruction&);
void lower_slct(LaneBuilder&, const ptx::Instruction&);

// 9.7.8 Logic and shift
void lower_and(LaneBuilder&, const ptx::Instruction&);
void lower_or(LaneBuilder&, const ptx::Instruction&);
void lower_xor(LaneBuilder&, const ptx::Instruction&);
void lower_not(LaneBuilder&, const ptx::Instruction&);
void lower_cnot(LaneBuilder&, const ptx::Instruction&);
void lower_lop3(LaneBuilder&, const ptx::Instruction&);
void lower_shf(LaneBuilder&, const ptx::Instruction&);
void lower_shl(LaneBuilder&, const ptx::Instruction&);
void lower_shr(LaneBuilder&, const ptx::Instruction&);

// 9.7.9 Data movement and conversion, as far as it is pure
void lower_mov(LaneBuilder&, const ptx::Instruction&);
void lower_prmt(LaneBuilder&, const ptx::Instruction&);
void lower_cvt(LaneBuilder&, const ptx::Instruction&);
void lower_cvt_pack(LaneBuilder&, const ptx::Instruction&);
void lower_narrow_cvt(LaneBuilder&, const ptx::Instruction&);

} // namespace tollgate::lower
