// PTX ISA 9.7.3, Floating-Point Instructions (f32, f64, f32x2), and 9.7.5, mixed precision (f32 with f16 or bf16).
#include "lower/chapters.h"
#include "lower/half_ops.h"

#include <string>

namespace tollgate::lower {
namespace {

// The f32 or f64 instruction as rounding asks: plain IR for the nearest, rtlib for the directed modes.
Value* rounded_call(LaneBuilder& lb, const Instruction& inst, const char* operation,
                    std::initializer_list<Value*> args) {
  llvm::Type* type = (*args.begin())->getType();
  std::string name =
      std::string(operation) + "_" + rounding_suffix(inst.mods.rounding) + (type->isFloatTy() ? "_f32" : "_f64");
  return lb.rt(name, type, args);
}

Value* add(LaneBuilder& lb, const Instruction& inst, Value* a, Value* b) {
  return is_directed(inst.mods.rounding) ? rounded_call(lb, inst, "add", {a, b}) : lb.ir().CreateFAdd(a, b);
}
Value* multiply(LaneBuilder& lb, const Instruction& inst, Value* a, Value* b) {
  return is_directed(inst.mods.rounding) ? rounded_call(lb, inst, "mul", {a, b}) : lb.ir().CreateFMul(a, b);
}
Value* fuse(LaneBuilder& lb, const Instruction& inst, Value* a, Value* b, Value* c) {
  return is_directed(inst.mods.rounding) ? rounded_call(lb, inst, "fma", {a, b, c})
                                         : ternary(lb, llvm::Intrinsic::fma, a, b, c);
}
Value* divide(LaneBuilder& lb, const Instruction& inst, Value* a, Value* b) {
  return is_directed(inst.mods.rounding) ? rounded_call(lb, inst, "div", {a, b}) : lb.ir().CreateFDiv(a, b);
}
Value* square_root(LaneBuilder& lb, const Instruction& inst, Value* a) {
  return is_directed(inst.mods.rounding) ? rounded_call(lb, inst, "sqrt", {a}) : unary(lb, llvm::Intrinsic::sqrt, a);
}

// Products, fused products and quotients can round up to the least normal number, which .ftz then flushes; `compute` is
// called a second time with its scalable operands multiplied.
template <typename Compute> Value* flushed(LaneBuilder& lb, const Instruction& inst, Compute compute) {
  auto unscaled = [](Value* value) { return value; };
  auto scaled = [&](Value* value) { return lb.ir().CreateFMul(value, float_constant(value, flush_scale)); };
  Value* value = compute(unscaled);
  return inst.mods.ftz && value->getType()->isFloatTy() ? flush_result(lb, value, compute(scaled)) : value;
}
Value* flushed_product(LaneBuilder& lb, const Instruction& inst, Value* a, Value* b) {
  return flushed(lb, inst, [&](auto scale) { return multiply(lb, inst, scale(a), b); });
}
Value* flushed_fma(LaneBuilder& lb, const Instruction& inst, Value* a, Value* b, Value* c) {
  return flushed(lb, inst, [&](auto scale) { return fuse(lb, inst, scale(a), b, scale(c)); });
}
Value* flushed_quotient(LaneBuilder& lb, const Instruction& inst, Value* a, Value* b) {
  return flushed(lb, inst, [&](auto scale) { return divide(lb, inst, scale(a), b); });
}
// The approximate forms just flush what is subnormal.
Value* flush_plainly(LaneBuilder& lb, const Instruction& inst, Value* value) {
  return inst.mods.ftz && value->getType()->isFloatTy() ? flush_f32(lb, value) : value;
}

// Source `index`: f16 or bf16 widened in the mixed forms (add.f32.f16), else of the instruction's type.
Value* operand(LaneBuilder& lb, const Instruction& inst, size_t index, bool may_be_half) {
  const Type second = second_type(inst);
  if (may_be_half && (second == Type::F16 || second == Type::BF16)) return source_as_f32(lb, inst, index, second);
  return float_source(lb, inst, index, first_type(inst));
}

// f32x2: the operation on both halves of 64 bits.
template <typename Operation>
void lower_pair(LaneBuilder& lb, const Instruction& inst, size_t sources, Operation operation) {
  auto& ir = lb.ir();
  auto half_of = [&](Value* bits, unsigned shift) -> Value* {
    Value* f32 = ir.CreateBitCast(ir.CreateTrunc(ir.CreateLShr(bits, shift), ir.getInt32Ty()), ir.getFloatTy());
    return inst.mods.ftz ? flush_f32(lb, f32) : f32;
  };
  llvm::SmallVector<Value*, 3> bits;
  for (size_t i = 1; i <= sources; ++i) bits.push_back(source(lb, inst, i, Type::B64));
  Value* packed = ir.getInt64(0);
  for (unsigned shift : {0u, 32u}) {
    llvm::SmallVector<Value*, 3> args;
    for (Value* value : bits) args.push_back(half_of(value, shift));
    Value* half = ir.CreateZExt(bits_of(lb, finish_float(lb, inst, operation(args))), ir.getInt64Ty());
    packed = ir.CreateOr(packed, ir.CreateShl(half, shift));
  }
  result(lb, inst, Type::B64, packed);
}

bool is_pair(const Instruction& inst) { return first_type(inst) == Type::F32x2; }

// .approx.ftz.f64 forms look at the upper 32 bits only and leave the lower half of the result zero.
Value* keep_upper_half(LaneBuilder& lb, Value* f64) {
  auto& ir = lb.ir();
  Value* bits = ir.CreateAnd(bits_of(lb, f64), ir.getInt64(0xffffffff00000000ull));
  Value* tiny = ir.CreateICmpEQ(ir.CreateAnd(bits, ir.getInt64(0x7ff0000000000000ull)), ir.getInt64(0));
  Value* zero = ir.CreateAnd(bits, ir.getInt64(0x8000000000000000ull));
  return ir.CreateBitCast(ir.CreateSelect(tiny, zero, bits), ir.getDoubleTy());
}

// A NaN keeps a mantissa bit in the upper half.
Value* upper_half_result(LaneBuilder& lb, Value* f64) {
  Value* nan = lb.ir().CreateBitCast(lb.ir().getInt64(0x7fffffff00000000ull), lb.ir().getDoubleTy());
  return lb.ir().CreateSelect(is_nan(lb, f64), nan, keep_upper_half(lb, f64));
}

// A function of rtlib on f32.
void lower_function(LaneBuilder& lb, const Instruction& inst, const char* name) {
  Value* a = float_source(lb, inst, 1, Type::F32);
  float_result(lb, inst, Type::F32, lb.rt(name, lb.ir().getFloatTy(), {a}));
}

void lower_min_max(LaneBuilder& lb, const Instruction& inst, bool is_max) {
  const Type type = first_type(inst);
  Value* chosen = float_source(lb, inst, 1, type);
  for (size_t i = 2; i < inst.operands.size(); ++i) // three sources since PTX ISA 8.8
    chosen = float_min_max(lb, inst, chosen, float_source(lb, inst, i, type), is_max);
  result(lb, inst, type, type == Type::F32 ? canonical_nan(lb, chosen) : chosen);
}

} // namespace

void lower_float_add(LaneBuilder& lb, const Instruction& inst) {
  if (is_pair(inst))
    return lower_pair(lb, inst, 2, [&](auto& x) { return flush_plainly(lb, inst, add(lb, inst, x[0], x[1])); });
  float_result(lb, inst, first_type(inst), add(lb, inst, operand(lb, inst, 1, true), operand(lb, inst, 2, false)));
}

void lower_float_sub(LaneBuilder& lb, const Instruction& inst) {
  auto& ir = lb.ir();
  auto subtract = [&](Value* a, Value* b) {
    if (!is_directed(inst.mods.rounding)) return ir.CreateFSub(a, b);
    return rounded_call(lb, inst, "add",
                        {a, ir.CreateSelect(is_nan(lb, b), b, ir.CreateFNeg(b))}); // a NaN keeps its sign
  };
  if (is_pair(inst))
    return lower_pair(lb, inst, 2, [&](auto& x) { return flush_plainly(lb, inst, subtract(x[0], x[1])); });
  float_result(lb, inst, first_type(inst), subtract(operand(lb, inst, 1, true), operand(lb, inst, 2, false)));
}

void lower_float_mul(LaneBuilder& lb, const Instruction& inst) {
  if (is_pair(inst)) return lower_pair(lb, inst, 2, [&](auto& x) { return flushed_product(lb, inst, x[0], x[1]); });
  Value* a = operand(lb, inst, 1, false);
  Value* product = flushed_product(lb, inst, a, operand(lb, inst, 2, false));
  result(lb, inst, first_type(inst), finish_float(lb, inst, product));
}

void lower_float_fma(LaneBuilder& lb, const Instruction& inst) {
  if (is_pair(inst)) return lower_pair(lb, inst, 3, [&](auto& x) { return flushed_fma(lb, inst, x[0], x[1], x[2]); });
  Value* a = operand(lb, inst, 1, true);
  Value* b = operand(lb, inst, 2, true);
  Value* sum = flushed_fma(lb, inst, a, b, operand(lb, inst, 3, false));
  result(lb, inst, first_type(inst), finish_float(lb, inst, sum));
}

// div.approx is the true quotient except where the manual says that the reciprocal underflows: |b| in (2^126, 2^128).
void lower_float_div(LaneBuilder& lb, const Instruction& inst) {
  auto& ir = lb.ir();
  const Type type = first_type(inst);
  Value* a = float_source(lb, inst, 1, type);
  Value* b = float_source(lb, inst, 2, type);
  if (!inst.mods.approx && !inst.mods.full)
    return result(lb, inst, type, finish_float(lb, inst, flushed_quotient(lb, inst, a, b)));
  Value* quotient = ir.CreateFDiv(a, b);
  if (inst.mods.approx) {
    Value* size = unary(lb, llvm::Intrinsic::fabs, b);
    Value* huge = ir.CreateAnd(ir.CreateFCmpOGT(size, float_constant(b, 0x1p126)),
                               ir.CreateFCmpONE(size, llvm::ConstantFP::getInfinity(b->getType())));
    Value* zero = binary(lb, llvm::Intrinsic::copysign, float_constant(b, 0.0), b);
    quotient = ir.CreateSelect(huge, ir.CreateFMul(a, zero), quotient);
  }
  float_result(lb, inst, type, quotient);
}

// The hardware adds zero to do this: an f32 NaN becomes canonical, an f64 NaN quiet and keeps its sign.
static Value* quieted_nan(LaneBuilder& lb, Value* source, Value* value) {
  if (!source->getType()->isDoubleTy()) return value;
  auto& ir = lb.ir();
  Value* quiet = ir.CreateOr(bits_of(lb, source), ir.getInt64(uint64_t{1} << 51));
  return ir.CreateSelect(is_nan(lb, source), ir.CreateBitCast(quiet, ir.getDoubleTy()), value);
}

void lower_float_abs(LaneBuilder& lb, const Instruction& inst) {
  const Type type = first_type(inst);
  Value* a = float_source(lb, inst, 1, type);
  result(lb, inst, type, finish_float(lb, inst, quieted_nan(lb, a, unary(lb, llvm::Intrinsic::fabs, a))));
}

void lower_float_neg(LaneBuilder& lb, const Instruction& inst) {
  const Type type = first_type(inst);
  Value* a = float_source(lb, inst, 1, type);
  result(lb, inst, type, finish_float(lb, inst, quieted_nan(lb, a, lb.ir().CreateFNeg(a))));
}

void lower_float_min(LaneBuilder& lb, const Instruction& inst) { lower_min_max(lb, inst, false); }
void lower_float_max(LaneBuilder& lb, const Instruction& inst) { lower_min_max(lb, inst, true); }

void lower_rcp(LaneBuilder& lb, const Instruction& inst) {
  const Type type = first_type(inst);
  Value* a = float_source(lb, inst, 1, type);
  if (inst.mods.approx && type == Type::F64) {
    Value* inverse = lb.ir().CreateFDiv(float_constant(a, 1.0), keep_upper_half(lb, a));
    return result(lb, inst, type, upper_half_result(lb, inverse));
  }
  if (inst.mods.approx) return float_result(lb, inst, type, lb.ir().CreateFDiv(float_constant(a, 1.0), a));
  result(lb, inst, type, finish_float(lb, inst, flushed_quotient(lb, inst, float_constant(a, 1.0), a)));
}

void lower_sqrt(LaneBuilder& lb, const Instruction& inst) {
  const Type type = first_type(inst);
  float_result(lb, inst, type, square_root(lb, inst, float_source(lb, inst, 1, type)));
}

void lower_rsqrt(LaneBuilder& lb, const Instruction& inst) {
  auto& ir = lb.ir();
  const Type type = first_type(inst);
  Value* a = float_source(lb, inst, 1, type);
  const bool upper_only = type == Type::F64 && inst.mods.ftz;
  if (upper_only) a = keep_upper_half(lb, a);
  Value* inverse = ir.CreateFDiv(float_constant(a, 1.0), unary(lb, llvm::Intrinsic::sqrt, a));
  if (upper_only) return result(lb, inst, type, upper_half_result(lb, inverse));
  float_result(lb, inst, type, inverse);
}

void lower_sin(LaneBuilder& lb, const Instruction& inst) { lower_function(lb, inst, "sin_approx_f32"); }
void lower_cos(LaneBuilder& lb, const Instruction& inst) { lower_function(lb, inst, "cos_approx_f32"); }
void lower_lg2(LaneBuilder& lb, const Instruction& inst) { lower_function(lb, inst, "lg2_approx_f32"); }
void lower_float_ex2(LaneBuilder& lb, const Instruction& inst) { lower_function(lb, inst, "ex2_approx_f32"); }
void lower_float_tanh(LaneBuilder& lb, const Instruction& inst) { lower_function(lb, inst, "tanh_approx_f32"); }

void lower_testp(LaneBuilder& lb, const Instruction& inst) {
  auto& ir = lb.ir();
  Value* bits = bits_of(lb, source(lb, inst, 1, first_type(inst)));
  const unsigned width = width_of(bits);
  const uint64_t infinity = width == 32 ? 0x7f800000u : 0x7ff0000000000000ull;
  const uint64_t least_normal = width == 32 ? 0x00800000u : 0x0010000000000000ull;
  Value* size = ir.CreateAnd(bits, constant_like(bits, width == 32 ? 0x7fffffffu : 0x7fffffffffffffffull));
  Value* infinite = constant_like(bits, infinity);
  Value* normal_from = constant_like(bits, least_normal);
  Value* answer = nullptr;
  switch (inst.mods.mode) {
  case ptx::Mode::Finite: answer = ir.CreateICmpULT(size, infinite); break;
  case ptx::Mode::Infinite: answer = ir.CreateICmpEQ(size, infinite); break;
  case ptx::Mode::Number: answer = ir.CreateICmpULE(size, infinite); break;
  case ptx::Mode::NotANumber: answer = ir.CreateICmpUGT(size, infinite); break;
  case ptx::Mode::Normal: // zero counts as normal on an H200
    answer = ir.CreateAnd(ir.CreateICmpULT(size, infinite), ir.CreateOr(ir.CreateICmpUGE(size, normal_from),
                                                                        ir.CreateICmpEQ(size, constant_like(bits, 0))));
    break;
  case ptx::Mode::Subnormal:
    answer = ir.CreateAnd(ir.CreateICmpULT(size, normal_from), ir.CreateICmpNE(size, constant_like(bits, 0)));
    break;
  default: return unsupported_form(lb, inst, "this test");
  }
  result(lb, inst, Type::Pred, answer);
}

// The sign of a on the value of b.
void lower_copysign(LaneBuilder& lb, const Instruction& inst) {
  const Type type = first_type(inst);
  Value* a = source(lb, inst, 1, type);
  result(lb, inst, type, binary(lb, llvm::Intrinsic::copysign, source(lb, inst, 2, type), a));
}

} // namespace tollgate::lower
