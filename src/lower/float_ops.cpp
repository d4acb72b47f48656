#include "lower/float_ops.h"

namespace tollgate::lower {
namespace {

constexpr uint64_t sign_bit(unsigned width) { return uint64_t{1} << (width - 1); }

Value* float_from_bits(LaneBuilder& lb, Value* bits, llvm::Type* type) { return lb.ir().CreateBitCast(bits, type); }

// Adds +1 or -1 to the magnitude where `wanted`.
Value* step_magnitude(LaneBuilder& lb, Value* bits, Value* wanted, Value* upwards) {
  auto& ir = lb.ir();
  Value* step = ir.CreateSelect(upwards, constant_like(bits, 1), llvm::Constant::getAllOnesValue(bits->getType()));
  return ir.CreateSelect(wanted, ir.CreateAdd(bits, step), bits);
}

Value* is_negative_bits(LaneBuilder& lb, Value* bits) { return lb.ir().CreateICmpSLT(bits, constant_like(bits, 0)); }

Value* is_odd(LaneBuilder& lb, Value* bits) { return lb.ir().CreateTrunc(bits, lb.ir().getInt1Ty()); }

} // namespace

Value* float_constant(Value* like, double value) { return llvm::ConstantFP::get(like->getType(), value); }

Value* bits_of(LaneBuilder& lb, Value* floating) {
  return lb.ir().CreateBitCast(floating, lb.ir().getIntNTy(width_of(floating)));
}

Value* is_nan(LaneBuilder& lb, Value* floating) { return lb.ir().CreateFCmpUNO(floating, floating); }
Value* not_nan(LaneBuilder& lb, Value* floating) { return lb.ir().CreateFCmpORD(floating, floating); }

Value* flush_f32(LaneBuilder& lb, Value* f32) {
  auto& ir = lb.ir();
  Value* bits = bits_of(lb, f32);
  Value* tiny = ir.CreateICmpEQ(ir.CreateAnd(bits, 0x7f800000u), ir.getInt32(0));
  Value* zero = ir.CreateAnd(bits, 0x80000000u);
  return ir.CreateBitCast(ir.CreateSelect(tiny, zero, bits), ir.getFloatTy());
}

Value* canonical_nan(LaneBuilder& lb, Value* f32) {
  if (!lb.canonical_nans) return f32;
  auto& ir = lb.ir();
  Value* nan =
      llvm::ConstantFP::get(lb.context(), llvm::APFloat(llvm::APFloat::IEEEsingle(), llvm::APInt(32, 0x7fffffff)));
  return ir.CreateSelect(is_nan(lb, f32), nan, f32);
}

Value* saturate(LaneBuilder& lb, Value* value) {
  auto& ir = lb.ir();
  Value* zero = float_constant(value, 0.0);
  Value* one = float_constant(value, 1.0);
  Value* positive = ir.CreateSelect(ir.CreateFCmpOGT(value, zero), value, zero);
  return ir.CreateSelect(ir.CreateFCmpOLT(positive, one), positive, one);
}

Value* clamp_negative(LaneBuilder& lb, Value* value) {
  Value* zero = float_constant(value, 0.0);
  return lb.ir().CreateSelect(lb.ir().CreateFCmpUGT(value, zero), value, zero);
}

Value* float_source(LaneBuilder& lb, const Instruction& inst, size_t index, Type type) {
  Value* value = source(lb, inst, index, type);
  return inst.mods.ftz && type == Type::F32 ? flush_f32(lb, value) : value;
}

Value* flush_result(LaneBuilder& lb, Value* rounded, Value* scaled) {
  auto& ir = lb.ir();
  Value* size = unary(lb, llvm::Intrinsic::fabs, scaled);
  Value* tiny = ir.CreateFCmpOLT(size, float_constant(size, 0x1p-126 * flush_scale));
  Value* zero = ir.CreateBitCast(ir.CreateAnd(bits_of(lb, rounded), 0x80000000u), ir.getFloatTy());
  return ir.CreateSelect(tiny, zero, rounded);
}

Value* finish_float(LaneBuilder& lb, const Instruction& inst, Value* value) {
  if (inst.mods.relu) value = clamp_negative(lb, value);
  if (inst.mods.sat) return saturate(lb, value);
  return value->getType()->isFloatTy() ? canonical_nan(lb, value) : value;
}

void float_result(LaneBuilder& lb, const Instruction& inst, Type type, Value* value) {
  if (inst.mods.ftz && type == Type::F32) value = flush_f32(lb, value);
  result(lb, inst, type, finish_float(lb, inst, value));
}

Value* float_min_max(LaneBuilder& lb, const Instruction& inst, Value* a, Value* b, bool is_max) {
  auto& ir = lb.ir();
  const unsigned width = width_of(a);
  Value* sign = nullptr;
  if (inst.mods.xorsign_abs) {
    sign = ir.CreateAnd(ir.CreateXor(bits_of(lb, a), bits_of(lb, b)), sign_bit(width));
    a = unary(lb, llvm::Intrinsic::fabs, a);
    b = unary(lb, llvm::Intrinsic::fabs, b);
  }
  // Spelled out: LLVM 19 loses the NaN of llvm.maximum(NaN, 0) on vectors. Where neither is greater they are equal, and
  // combining the bits puts -0 below +0.
  Value* both = is_max ? ir.CreateAnd(bits_of(lb, a), bits_of(lb, b)) : ir.CreateOr(bits_of(lb, a), bits_of(lb, b));
  Value* chosen = float_from_bits(lb, both, a->getType());
  chosen = ir.CreateSelect(ir.CreateFCmpOGT(a, b), is_max ? a : b, chosen);
  chosen = ir.CreateSelect(ir.CreateFCmpOLT(a, b), is_max ? b : a, chosen);
  Value* nan = llvm::ConstantFP::getQNaN(a->getType());
  chosen = ir.CreateSelect(is_nan(lb, b), inst.mods.nan ? nan : a, chosen);
  chosen = ir.CreateSelect(is_nan(lb, a), inst.mods.nan ? nan : b, chosen);
  if (!sign) return chosen;
  Value* signed_bits = ir.CreateOr(bits_of(lb, chosen), sign);
  Value* with_sign = float_from_bits(lb, signed_bits, a->getType());
  return ir.CreateSelect(is_nan(lb, chosen), chosen, with_sign);
}

// Knuth's two-sum gives the rounding error exactly; its sign says on which side of the sum the exact value lies.
Value* add_to_odd(LaneBuilder& lb, Value* a, Value* b) {
  auto& ir = lb.ir();
  Value* sum = ir.CreateFAdd(a, b);
  Value* b_part = ir.CreateFSub(sum, a);
  Value* a_part = ir.CreateFSub(sum, b_part);
  Value* error = ir.CreateFAdd(ir.CreateFSub(a, a_part), ir.CreateFSub(b, b_part));
  Value* bits = bits_of(lb, sum);
  Value* inexact = ir.CreateFCmpONE(error, float_constant(error, 0.0)); // false for NaN: the sum is no number
  Value* wanted = ir.CreateAnd(inexact, ir.CreateNot(is_odd(lb, bits)));
  Value* away = ir.CreateNot(is_negative_bits(lb, ir.CreateXor(bits, bits_of(lb, error))));
  return float_from_bits(lb, step_magnitude(lb, bits, wanted, away), a->getType());
}

Value* narrow_to_odd(LaneBuilder& lb, Value* f64) {
  auto& ir = lb.ir();
  Value* nearest = ir.CreateFPTrunc(f64, ir.getFloatTy());
  Value* magnitude = unary(lb, llvm::Intrinsic::fabs, f64);
  Value* back = ir.CreateFPExt(unary(lb, llvm::Intrinsic::fabs, nearest), ir.getDoubleTy());
  Value* bits = bits_of(lb, nearest);
  Value* inexact = ir.CreateFCmpONE(back, magnitude);
  Value* wanted = ir.CreateAnd(inexact, ir.CreateNot(is_odd(lb, bits)));
  return float_from_bits(lb, step_magnitude(lb, bits, wanted, ir.CreateFCmpOLT(back, magnitude)), ir.getFloatTy());
}

Value* narrow_to_f32(LaneBuilder& lb, Value* f64, Rounding rounding) {
  auto& ir = lb.ir();
  Value* nearest = ir.CreateFPTrunc(f64, ir.getFloatTy());
  if (!is_directed(rounding)) return nearest;
  Value* back = ir.CreateFPExt(nearest, ir.getDoubleTy());
  Value* bits =
      step_directed(lb, bits_of(lb, nearest), ir.CreateFCmpOGT(back, f64), ir.CreateFCmpOLT(back, f64), rounding);
  return float_from_bits(lb, bits, ir.getFloatTy());
}

Value* step_directed(LaneBuilder& lb, Value* bits, Value* too_big, Value* too_small, Rounding rounding) {
  auto& ir = lb.ir();
  Value* negative = is_negative_bits(lb, bits);
  switch (rounding) {
  case Rounding::RZ: // the magnitude may only shrink
    return step_magnitude(lb, bits, ir.CreateSelect(negative, too_small, too_big), ir.getFalse());
  case Rounding::RM: // step down: the magnitude grows if negative
    return step_magnitude(lb, bits, too_big, negative);
  case Rounding::RP: return step_magnitude(lb, bits, too_small, ir.CreateNot(negative));
  default: return bits;
  }
}

bool is_directed(Rounding rounding) {
  return rounding == Rounding::RZ || rounding == Rounding::RM || rounding == Rounding::RP;
}

const char* rounding_suffix(Rounding rounding) {
  switch (rounding) {
  case Rounding::RZ: return "rz";
  case Rounding::RM: return "rm";
  case Rounding::RP: return "rp";
  default: return "rn";
  }
}

} // namespace tollgate::lower
