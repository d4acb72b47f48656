// PTX ISA 9.7.9.21, cvt between scalar types. The packed, 8-bit and tf32 forms are in narrow_conversion.cpp.
#include "lower/chapters.h"
#include "lower/half_ops.h"

namespace tollgate::lower {
namespace {

bool is_integer_rounding(Rounding rounding) {
  return rounding == Rounding::RNI || rounding == Rounding::RZI || rounding == Rounding::RMI ||
         rounding == Rounding::RPI;
}

Value* round_to_integral(LaneBuilder& lb, Value* value, Rounding rounding) {
  switch (rounding) {
  case Rounding::RNI: return unary(lb, llvm::Intrinsic::roundeven, value);
  case Rounding::RMI: return unary(lb, llvm::Intrinsic::floor, value);
  case Rounding::RPI: return unary(lb, llvm::Intrinsic::ceil, value);
  default: return unary(lb, llvm::Intrinsic::trunc, value);
  }
}

uint64_t largest(Type type) {
  const unsigned bits = ptx::bit_width(type) - (ptx::is_signed(type) ? 1 : 0);
  return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
}

// .sat between integers: clamps to the range of `to` where `from` reaches beyond it.
Value* clamp_integer(LaneBuilder& lb, Value* value, Type from, Type to) {
  const unsigned width = width_of(value);
  if (ptx::is_signed(from)) {
    if (!ptx::is_signed(to)) value = smax(lb, value, constant_like(value, 0));
    if (ptx::bit_width(to) >= width) return value;
    value = smin(lb, value, constant_like(value, largest(to)));
    return ptx::is_signed(to) ? smax(lb, value, constant_like(value, ~largest(to))) : value;
  }
  const bool fits = ptx::bit_width(to) - (ptx::is_signed(to) ? 1 : 0) >= width;
  return fits ? value : umin(lb, value, constant_like(value, largest(to)));
}

Value* integer_to_integer(LaneBuilder& lb, const Instruction& inst, Type to, Type from) {
  Value* value = source(lb, inst, 1, from);
  if (inst.mods.sat) value = clamp_integer(lb, value, from, to);
  return ptx::is_signed(from) ? lb.ir().CreateSExtOrTrunc(value, lb.type_of(to))
                              : lb.ir().CreateZExtOrTrunc(value, lb.type_of(to));
}

// A float source in the type it is computed in: f16 and bf16 become f32, exactly.
Value* wide_source(LaneBuilder& lb, const Instruction& inst, Type from) {
  if (is_half(from)) return half_to_f32(lb, half_source(lb, inst, 1, from), half_format(from));
  return float_source(lb, inst, 1, from);
}

// NaN gives 0, but 100..0 when either side has 64 bits (9.7.9.21, integer notes).
Value* float_to_integer(LaneBuilder& lb, const Instruction& inst, Type to, Type from) {
  auto& ir = lb.ir();
  Value* value = round_to_integral(lb, wide_source(lb, inst, from), inst.mods.rounding);
  llvm::Type* type = lb.type_of(to);
  const auto id = ptx::is_signed(to) ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
  Value* converted = ir.CreateIntrinsic(id, {type, value->getType()}, {value});
  const unsigned width = ptx::bit_width(to);
  if (from != Type::F64 && width != 64) return converted;
  Value* for_nan = llvm::ConstantInt::get(type, llvm::APInt::getOneBitSet(width, width - 1));
  return ir.CreateSelect(is_nan(lb, value), for_nan, converted);
}

// More than 53 bits do not fit an f64: the bits that must go leave a sticky bit, so that rounding the (exact) f64 to
// f32, f16 or bf16 is right in every mode.
Value* integer_to_odd_f64(LaneBuilder& lb, Value* value, bool is_signed) {
  auto& ir = lb.ir();
  if (width_of(value) == 64) {
    Value* size = is_signed ? binary(lb, llvm::Intrinsic::abs, value, ir.getFalse()) : value;
    Value* long_enough = ir.CreateICmpUGE(size, ir.getInt64(uint64_t{1} << 53));
    Value* lost = ir.CreateICmpNE(ir.CreateAnd(value, 0x7ff), ir.getInt64(0));
    Value* sticky = ir.CreateSelect(lost, ir.getInt64(0x800), ir.getInt64(0));
    Value* shortened = ir.CreateOr(ir.CreateAnd(value, ir.getInt64(~uint64_t{0x7ff})), sticky);
    value = ir.CreateSelect(long_enough, shortened, value);
  }
  return is_signed ? ir.CreateSIToFP(value, ir.getDoubleTy()) : ir.CreateUIToFP(value, ir.getDoubleTy());
}

// A directed conversion of 64 bits to f64: the two halves are exact, and the error of their sum tells which way to
// step.
Value* integer_to_directed_f64(LaneBuilder& lb, Value* value, bool is_signed, Rounding rounding) {
  auto& ir = lb.ir();
  llvm::Type* f64 = ir.getDoubleTy();
  Value* top =
      is_signed ? ir.CreateSIToFP(ir.CreateAShr(value, 32), f64) : ir.CreateUIToFP(ir.CreateLShr(value, 32), f64);
  Value* high = ir.CreateFMul(top, float_constant(top, 0x1p32));
  Value* low = ir.CreateUIToFP(ir.CreateAnd(value, ir.getInt64(0xffffffffu)), f64);
  Value* sum = ir.CreateFAdd(high, low);
  Value* error = ir.CreateFSub(low, ir.CreateFSub(sum, high));
  Value* zero = float_constant(error, 0.0);
  Value* bits =
      step_directed(lb, bits_of(lb, sum), ir.CreateFCmpOLT(error, zero), ir.CreateFCmpOGT(error, zero), rounding);
  return ir.CreateBitCast(bits, f64);
}

Value* integer_to_f32(LaneBuilder& lb, Value* value, bool is_signed, Rounding rounding) {
  auto& ir = lb.ir();
  if (is_directed(rounding) && width_of(value) > 16)
    return narrow_to_f32(lb, integer_to_odd_f64(lb, value, is_signed), rounding);
  return is_signed ? ir.CreateSIToFP(value, ir.getFloatTy()) : ir.CreateUIToFP(value, ir.getFloatTy());
}

Value* integer_to_half(LaneBuilder& lb, Value* value, bool is_signed, HalfFormat format, Rounding rounding) {
  auto& ir = lb.ir();
  if (format == HalfFormat::BF16 && width_of(value) > 16)
    return f32_to_half(lb, narrow_to_odd(lb, integer_to_odd_f64(lb, value, is_signed)), format, rounding);
  if (width_of(value) > 16) { // f16 overflows far below 2^17, and up to there an f32 is exact
    Value* limit = constant_like(value, (1u << 17) - 1);
    value = is_signed ? smax(lb, smin(lb, value, limit), ir.CreateNeg(limit)) : umin(lb, value, limit);
  }
  return f32_to_half(lb, integer_to_f32(lb, value, is_signed, Rounding::RN), format, rounding);
}

void integer_to_float(LaneBuilder& lb, const Instruction& inst, Type to, Type from) {
  auto& ir = lb.ir();
  const bool is_signed = ptx::is_signed(from);
  const Rounding rounding = inst.mods.rounding;
  Value* value = source(lb, inst, 1, from);
  if (inst.mods.sat)
    value = is_signed ? smax(lb, smin(lb, value, constant_like(value, 1)), constant_like(value, 0))
                      : umin(lb, value, constant_like(value, 1));
  if (is_half(to)) return half_result(lb, inst, to, integer_to_half(lb, value, is_signed, half_format(to), rounding));
  if (to == Type::F32) return result(lb, inst, to, integer_to_f32(lb, value, is_signed, rounding));
  if (is_directed(rounding) && width_of(value) == 64)
    return result(lb, inst, to, integer_to_directed_f64(lb, value, is_signed, rounding));
  result(lb, inst, to, is_signed ? ir.CreateSIToFP(value, ir.getDoubleTy()) : ir.CreateUIToFP(value, ir.getDoubleTy()));
}

// A NaN from f64 keeps its sign and the upper bits of its payload, as on the hardware; from f32 it becomes 0x7fff.
Value* nan_from_f64(LaneBuilder& lb, Value* f32, HalfFormat format) {
  auto& ir = lb.ir();
  Value* bits = bits_of(lb, f32);
  if (format == HalfFormat::BF16) return ir.CreateTrunc(ir.CreateLShr(bits, 16), ir.getInt16Ty());
  Value* sign = ir.CreateAnd(ir.CreateLShr(bits, 16), 0x8000);
  Value* payload = ir.CreateAnd(ir.CreateLShr(bits, 13), 0x3ff);
  return ir.CreateTrunc(ir.CreateOr(ir.CreateOr(sign, payload), 0x7c00), ir.getInt16Ty());
}

void float_to_half(LaneBuilder& lb, const Instruction& inst, Type to, Value* value) {
  const HalfFormat format = half_format(to);
  const bool from_f64 = value->getType()->isDoubleTy();
  if (from_f64) value = narrow_to_odd(lb, value);
  if (inst.mods.relu) value = clamp_negative(lb, value);
  if (inst.mods.sat) value = saturate(lb, value);
  Value* bits = f32_to_half(lb, value, format, inst.mods.rounding);
  if (from_f64) bits = lb.ir().CreateSelect(is_nan(lb, value), nan_from_f64(lb, value, format), bits);
  half_result(lb, inst, to, inst.mods.satfinite ? clamp_to_finite(lb, bits, format) : bits);
}

Value* f64_to_f32(LaneBuilder& lb, const Instruction& inst, Value* value) {
  Value* rounded = narrow_to_f32(lb, value, inst.mods.rounding);
  if (!inst.mods.ftz) return rounded;
  Value* larger = lb.ir().CreateFMul(value, float_constant(value, flush_scale));
  return flush_result(lb, rounded, narrow_to_f32(lb, larger, inst.mods.rounding));
}

void float_to_float(LaneBuilder& lb, const Instruction& inst, Type to, Type from) {
  Value* value = wide_source(lb, inst, from);
  if (is_integer_rounding(inst.mods.rounding)) value = round_to_integral(lb, value, inst.mods.rounding);
  if (is_half(to)) return float_to_half(lb, inst, to, value);
  if (to == Type::F64) {
    if (value->getType()->isFloatTy()) {
      if (inst.mods.ftz) { // flushing is an f32 operation of its own: its NaN is the canonical one
        llvm::APFloat canonical(llvm::APFloat::IEEEsingle(), llvm::APInt(32, 0x7fffffff));
        value = lb.ir().CreateSelect(is_nan(lb, value), llvm::ConstantFP::get(lb.context(), canonical), value);
      }
      value = lb.ir().CreateFPExt(value, lb.ir().getDoubleTy());
    }
    return float_result(lb, inst, to, value);
  }
  if (from == Type::F64) {
    value = f64_to_f32(lb, inst, value);
  } else if (inst.mods.ftz) {
    value = flush_f32(lb, value);
  }
  // Between f32 and f64, and from bf16, the hardware keeps the payload of a NaN.
  const bool keeps_payload = (from == Type::F64 || from == Type::BF16) && !inst.mods.sat;
  result(lb, inst, to, keeps_payload ? value : finish_float(lb, inst, value));
}

bool is_plain(Type type) {
  return type != Type::TF32 && type != Type::F16x2 && type != Type::BF16x2 && type != Type::E4M3x2 &&
         type != Type::E5M2x2;
}

} // namespace

void lower_cvt(LaneBuilder& lb, const Instruction& inst) {
  const Type to = first_type(inst);
  const Type from = second_type(inst);
  if (inst.form && inst.form->name.starts_with("cvt.pack")) return lower_cvt_pack(lb, inst);
  if (inst.form && inst.form->syntax.starts_with("cvt.pack")) return lower_cvt_pack(lb, inst);
  if (!is_plain(to) || !is_plain(from)) return lower_narrow_cvt(lb, inst);
  if (ptx::is_float(to) && ptx::is_float(from)) return float_to_float(lb, inst, to, from);
  if (ptx::is_float(to)) return integer_to_float(lb, inst, to, from);
  result(lb, inst, to,
         ptx::is_float(from) ? float_to_integer(lb, inst, to, from) : integer_to_integer(lb, inst, to, from));
}

// cvt.pack.sat.type.s32{.b32} d, a, b{, c}: b saturated in the low place, a above it, then the low bits of c.
void lower_cvt_pack(LaneBuilder& lb, const Instruction& inst) {
  auto& ir = lb.ir();
  // Elements of 2 and 4 bits are no types of their own: the parser keeps their names aside.
  Type element = first_type(inst);
  unsigned width = ptx::bit_width(element);
  for (const std::string& name : inst.mods.ignored) {
    element = name[0] == 'u' ? Type::U32 : Type::S32;
    width = unsigned(name[1] - '0');
  }
  auto saturated = [&](size_t index) -> Value* {
    Value* value = source(lb, inst, index, Type::S32);
    if (width >= 8)
      value = clamp_integer(lb, value, Type::S32, element);
    else if (element == Type::U32)
      value = smin(lb, smax(lb, value, ir.getInt32(0)), ir.getInt32((1u << width) - 1));
    else
      value = smin(lb, smax(lb, value, ir.getInt32(-(1u << (width - 1)))), ir.getInt32((1u << (width - 1)) - 1));
    return ir.CreateAnd(value, (1u << width) - 1);
  };
  Value* packed = ir.CreateOr(ir.CreateShl(saturated(1), width), saturated(2));
  if (inst.operands.size() > 3) packed = ir.CreateOr(packed, ir.CreateShl(source(lb, inst, 3, Type::B32), 2 * width));
  result(lb, inst, Type::B32, packed);
}

} // namespace tollgate::lower
