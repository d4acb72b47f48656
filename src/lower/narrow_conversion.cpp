// PTX ISA 9.7.9.21: cvt to and from f16x2, bf16x2, tf32, e4m3x2 and e5m2x2.
#include "lower/chapters.h"
#include "lower/half_ops.h"

namespace tollgate::lower {
namespace {

bool is_byte_pair(Type type) { return type == Type::E4M3x2 || type == Type::E5M2x2; }

// An f32 to 16 bits with .relu and .satfinite.
Value* to_half(LaneBuilder& lb, const Instruction& inst, Value* f32, HalfFormat format) {
  if (inst.mods.relu) f32 = clamp_negative(lb, f32);
  Value* bits = f32_to_half(lb, f32, format, inst.mods.rounding);
  return inst.mods.satfinite ? clamp_to_finite(lb, bits, format) : bits;
}

// d, a, b: a goes to the upper half, b to the lower.
void pack_two_f32(LaneBuilder& lb, const Instruction& inst) {
  const Type to = first_type(inst);
  Value* high = to_half(lb, inst, float_source(lb, inst, 1, Type::F32), half_format(to));
  Value* low = to_half(lb, inst, float_source(lb, inst, 2, Type::F32), half_format(to));
  result(lb, inst, to, join_halves(lb, low, high));
}

Value* to_byte(LaneBuilder& lb, const Instruction& inst, Value* f32) {
  if (inst.mods.relu) f32 = clamp_negative(lb, f32);
  const char* name = first_type(inst) == Type::E4M3x2 ? "e4m3_from_f32" : "e5m2_from_f32";
  return lb.rt(name, lb.ir().getInt32Ty(), {f32});
}

void pack_two_bytes(LaneBuilder& lb, const Instruction& inst) {
  auto& ir = lb.ir();
  Value *low = nullptr, *high = nullptr;
  if (second_type(inst) == Type::F32) {
    high = float_source(lb, inst, 1, Type::F32);
    low = float_source(lb, inst, 2, Type::F32);
  } else {
    const HalfFormat format = half_format(second_type(inst));
    const Halves halves = split_halves(lb, source(lb, inst, 1, second_type(inst)));
    low = half_to_f32(lb, halves.low, format);
    high = half_to_f32(lb, halves.high, format);
  }
  Value* packed = ir.CreateOr(ir.CreateShl(to_byte(lb, inst, high), 8), to_byte(lb, inst, low));
  result(lb, inst, Type::B16, ir.CreateTrunc(packed, ir.getInt16Ty()));
}

void unpack_two_bytes(LaneBuilder& lb, const Instruction& inst) {
  auto& ir = lb.ir();
  const Type to = first_type(inst);
  const char* name = second_type(inst) == Type::E4M3x2 ? "f32_from_e4m3" : "f32_from_e5m2";
  Value* bytes = ir.CreateZExt(source(lb, inst, 1, Type::B16), ir.getInt32Ty());
  auto half = [&](Value* byte) { return to_half(lb, inst, lb.rt(name, ir.getFloatTy(), {byte}), half_format(to)); };
  Value* low = half(ir.CreateAnd(bytes, 0xff));
  result(lb, inst, to, join_halves(lb, low, half(ir.CreateLShr(bytes, 8))));
}

// tf32 keeps 10 mantissa bits of an f32; rna rounds ties away from zero. NaNs are as on the hardware: rna only cuts
// them off (and .satfinite steps down from them as from infinity), rn and rz give 0x7fffe000.
void round_to_tf32(LaneBuilder& lb, const Instruction& inst) {
  auto& ir = lb.ir();
  Value* value = source(lb, inst, 1, Type::F32);
  if (inst.mods.relu) value = clamp_negative(lb, value);
  Value* bits = bits_of(lb, value);
  Value* addend = ir.getInt32(0);
  if (inst.mods.rounding == Rounding::RNA) addend = ir.getInt32(0x1000);
  if (inst.mods.rounding == Rounding::RN)
    addend = ir.CreateAdd(ir.getInt32(0xfff), ir.CreateAnd(ir.CreateLShr(bits, 13), 1));
  Value* rounded = ir.CreateAdd(bits, addend);
  if (inst.mods.rounding == Rounding::RNA) rounded = ir.CreateSelect(is_nan(lb, value), bits, rounded);
  rounded = ir.CreateAnd(rounded, 0xffffe000u);
  if (inst.mods.satfinite) {
    Value* infinite = ir.CreateICmpEQ(ir.CreateAnd(rounded, 0x7f800000), ir.getInt32(0x7f800000));
    rounded = ir.CreateSelect(infinite, ir.CreateSub(rounded, ir.getInt32(0x2000)), rounded);
  }
  if (inst.mods.rounding != Rounding::RNA)
    rounded = ir.CreateSelect(is_nan(lb, value), ir.getInt32(0x7fffe000), rounded);
  result(lb, inst, Type::B32, rounded);
}

} // namespace

void lower_narrow_cvt(LaneBuilder& lb, const Instruction& inst) {
  const Type to = first_type(inst);
  const Type from = second_type(inst);
  if (inst.mods.rounding == Rounding::RS) return unsupported_form(lb, inst, "stochastic rounding");
  if (is_packed_half(to) && from == Type::F32) return pack_two_f32(lb, inst);
  if (is_byte_pair(to) && (from == Type::F32 || is_packed_half(from))) return pack_two_bytes(lb, inst);
  if (is_packed_half(to) && is_byte_pair(from)) return unpack_two_bytes(lb, inst);
  if (to == Type::TF32 && from == Type::F32) return round_to_tf32(lb, inst);
  unsupported_form(lb, inst, "this conversion");
}

} // namespace tollgate::lower
