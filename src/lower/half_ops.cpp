#include "lower/half_ops.h"

namespace tollgate::lower {
namespace {

constexpr uint16_t exponent_mask(HalfFormat format) { return format == HalfFormat::F16 ? 0x7c00 : 0x7f80; }

Value* round_to_f16(LaneBuilder& lb, Value* f32, Rounding rounding) {
  auto& ir = lb.ir();
  Value* nearest = ir.CreateFPTrunc(f32, ir.getHalfTy());
  Value* bits = ir.CreateBitCast(nearest, ir.getInt16Ty());
  if (!is_directed(rounding)) return bits;
  Value* back = ir.CreateFPExt(nearest, ir.getFloatTy());
  return step_directed(lb, bits, ir.CreateFCmpOGT(back, f32), ir.CreateFCmpOLT(back, f32), rounding);
}

// bf16 is the upper half of an f32, so rounding is an addition to the bits that carries into the exponent.
Value* round_to_bf16(LaneBuilder& lb, Value* f32, Rounding rounding) {
  auto& ir = lb.ir();
  Value* bits = bits_of(lb, f32);
  Value* addend = ir.getInt32(0);
  Value* negative = ir.CreateICmpSLT(bits, ir.getInt32(0));
  switch (rounding) {
  case Rounding::RZ: break;
  case Rounding::RM: addend = ir.CreateSelect(negative, ir.getInt32(0xffff), addend); break;
  case Rounding::RP: addend = ir.CreateSelect(negative, addend, ir.getInt32(0xffff)); break;
  case Rounding::RNA: addend = ir.getInt32(0x8000); break;
  default: addend = ir.CreateAdd(ir.getInt32(0x7fff), ir.CreateAnd(ir.CreateLShr(bits, 16), 1));
  }
  return ir.CreateTrunc(ir.CreateLShr(ir.CreateAdd(bits, addend), 16), ir.getInt16Ty());
}

} // namespace

HalfFormat half_format(Type type) {
  return type == Type::BF16 || type == Type::BF16x2 ? HalfFormat::BF16 : HalfFormat::F16;
}

Value* half_to_f32(LaneBuilder& lb, Value* bits, HalfFormat format) {
  auto& ir = lb.ir();
  if (format == HalfFormat::F16) return ir.CreateFPExt(ir.CreateBitCast(bits, ir.getHalfTy()), ir.getFloatTy());
  return ir.CreateBitCast(ir.CreateShl(ir.CreateZExt(bits, ir.getInt32Ty()), 16), ir.getFloatTy());
}

Value* f32_to_half(LaneBuilder& lb, Value* f32, HalfFormat format, Rounding rounding) {
  Value* rounded = format == HalfFormat::F16 ? round_to_f16(lb, f32, rounding) : round_to_bf16(lb, f32, rounding);
  return lb.ir().CreateSelect(is_nan(lb, f32), lb.ir().getInt16(0x7fff), rounded);
}

Value* clamp_to_finite(LaneBuilder& lb, Value* bits, HalfFormat format) {
  auto& ir = lb.ir();
  Value* magnitude = ir.CreateAnd(bits, 0x7fff);
  Value* infinite = ir.CreateICmpEQ(magnitude, constant_like(bits, exponent_mask(format)));
  return ir.CreateSelect(infinite, ir.CreateSub(bits, constant_like(bits, 1)), bits);
}

Value* flush_half(LaneBuilder& lb, Value* bits, HalfFormat format) {
  auto& ir = lb.ir();
  Value* tiny = ir.CreateICmpEQ(ir.CreateAnd(bits, exponent_mask(format)), constant_like(bits, 0));
  return ir.CreateSelect(tiny, ir.CreateAnd(bits, 0x8000), bits);
}

Value* half_source(LaneBuilder& lb, const Instruction& inst, size_t index, Type type) {
  Value* value = source(lb, inst, index, type);
  return type == Type::F16 ? lb.ir().CreateBitCast(value, lb.ir().getInt16Ty()) : value;
}

void half_result(LaneBuilder& lb, const Instruction& inst, Type type, Value* bits) {
  result(lb, inst, type, type == Type::F16 ? lb.ir().CreateBitCast(bits, lb.ir().getHalfTy()) : bits);
}

Value* source_as_f32(LaneBuilder& lb, const Instruction& inst, size_t index, Type type) {
  if (type == Type::F16 || type == Type::BF16)
    return half_to_f32(lb, half_source(lb, inst, index, type), half_format(type));
  return float_source(lb, inst, index, Type::F32);
}

} // namespace tollgate::lower
