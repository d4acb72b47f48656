// PTX ISA 9.7.1, Integer Arithmetic Instructions (the dot products are in video.cpp).
#include "lower/chapters.h"
#include "lower/ops.h"
#include "lower/wide_multiply.h"

namespace tollgate::lower {
namespace {

using llvm::Intrinsic::ID;
using ptx::Mode;

// Applies a 16-bit operation to both halves of a u16x2 or s16x2 value.
template <typename Operation> Value* packed(LaneBuilder& lb, Value* a, Value* b, Operation operation) {
  const Halves x = split_halves(lb, a);
  const Halves y = split_halves(lb, b);
  return join_halves(lb, operation(x.low, y.low), operation(x.high, y.high));
}

template <typename Operation> void lower_binary(LaneBuilder& lb, const Instruction& inst, Operation operation) {
  const Type type = first_type(inst);
  Value* a = source(lb, inst, 1, type);
  Value* b = source(lb, inst, 2, type);
  result(lb, inst, type, is_packed_integer(type) ? packed(lb, a, b, operation) : operation(a, b));
}

// Unsigned division that is defined for a zero divisor.
struct Divisor {
  Value* safe; // never zero
  Value* is_zero;
};
Divisor guard_divisor(LaneBuilder& lb, Value* b) {
  Value* is_zero = lb.ir().CreateICmpEQ(b, constant_like(b, 0));
  return {lb.ir().CreateSelect(is_zero, constant_like(b, 1), b), is_zero};
}

// MIN / -1 overflows; dividing by 1 instead and negating by wrap-around gives what the hardware gives.
Value* signed_divide(LaneBuilder& lb, Value* a, Value* b) {
  auto& ir = lb.ir();
  Value* minus_one = llvm::Constant::getAllOnesValue(b->getType());
  Value* negate = ir.CreateICmpEQ(b, minus_one);
  Value* quotient = ir.CreateSDiv(a, ir.CreateSelect(negate, constant_like(b, 1), b));
  return ir.CreateSelect(negate, ir.CreateNeg(a), quotient);
}

// The low `bits` bits set; all of them for bits >= width.
Value* low_mask(LaneBuilder& lb, Value* like, Value* bits) {
  return lb.ir().CreateNot(shift_left(lb, llvm::Constant::getAllOnesValue(like->getType()), bits));
}

Value* field_operand(LaneBuilder& lb, const Instruction& inst, size_t index) {
  Value* value = source(lb, inst, index, Type::U32);
  // The manual counts the low 8 bits only; so does an H200 on 32 bits, but on 64 it takes the whole operand.
  return ptx::bit_width(first_type(inst)) == 64 ? value : lb.ir().CreateAnd(value, 0xff);
}

void lower_min_max(LaneBuilder& lb, const Instruction& inst, ID signed_id, ID unsigned_id) {
  const Type type = first_type(inst);
  lower_binary(lb, inst, [&](Value* a, Value* b) {
    Value* value = binary(lb, ptx::is_signed(type) ? signed_id : unsigned_id, a, b);
    return inst.mods.relu ? smax(lb, value, constant_like(value, 0)) : value;
  });
}

// The 48-bit product of the low 24 bits of both operands, as i64.
Value* product24(LaneBuilder& lb, const Instruction& inst) {
  auto& ir = lb.ir();
  const Type type = first_type(inst);
  auto widen = [&](size_t index) -> Value* {
    Value* top = ir.CreateShl(source(lb, inst, index, type), 8);
    return ptx::is_signed(type) ? ir.CreateSExt(ir.CreateAShr(top, 8), ir.getInt64Ty())
                                : ir.CreateZExt(ir.CreateLShr(top, 8), ir.getInt64Ty());
  };
  return ir.CreateMul(widen(1), widen(2));
}

Value* pick24(LaneBuilder& lb, const Instruction& inst) {
  auto& ir = lb.ir();
  Value* product = product24(lb, inst);
  if (inst.mods.mode == Mode::Hi) product = ir.CreateLShr(product, 16);
  return ir.CreateTrunc(product, ir.getInt32Ty());
}

Value* extend_to(LaneBuilder& lb, Value* value, Type source_type, llvm::Type* to) {
  return ptx::is_signed(source_type) ? lb.ir().CreateSExt(value, to) : lb.ir().CreateZExt(value, to);
}

Type doubled(Type type) {
  switch (type) {
  case Type::U16: return Type::U32;
  case Type::S16: return Type::S32;
  case Type::U32: return Type::U64;
  default: return Type::S64;
  }
}

// Counts are u32 whatever the width of the operand.
void count_result(LaneBuilder& lb, const Instruction& inst, Value* value) {
  result(lb, inst, Type::U32, lb.ir().CreateZExtOrTrunc(value, lb.ir().getInt32Ty()));
}

} // namespace

Value* multiply_high(LaneBuilder& lb, Value* a, Value* b, bool is_signed) {
  auto& ir = lb.ir();
  const unsigned width = width_of(a);
  if (width < 64) {
    llvm::Type* wide = ir.getIntNTy(2 * width);
    Value* x = is_signed ? ir.CreateSExt(a, wide) : ir.CreateZExt(a, wide);
    Value* y = is_signed ? ir.CreateSExt(b, wide) : ir.CreateZExt(b, wide);
    return ir.CreateTrunc(ir.CreateLShr(ir.CreateMul(x, y), width), a->getType());
  }
  // Four 32x32 products: there is no vector multiplication of 128 bits.
  Value* low32 = constant_like(a, 0xffffffffu);
  Value *al = ir.CreateAnd(a, low32), *ah = ir.CreateLShr(a, 32);
  Value *bl = ir.CreateAnd(b, low32), *bh = ir.CreateLShr(b, 32);
  Value* middle = ir.CreateAdd(ir.CreateMul(ah, bl), ir.CreateLShr(ir.CreateMul(al, bl), 32));
  Value* cross = ir.CreateAdd(ir.CreateMul(al, bh), ir.CreateAnd(middle, low32));
  Value* high = ir.CreateAdd(ir.CreateMul(ah, bh), ir.CreateAdd(ir.CreateLShr(middle, 32), ir.CreateLShr(cross, 32)));
  if (!is_signed) return high;
  Value* fix_a = ir.CreateAnd(ir.CreateAShr(a, 63), b);
  Value* fix_b = ir.CreateAnd(ir.CreateAShr(b, 63), a);
  return ir.CreateSub(ir.CreateSub(high, fix_a), fix_b);
}

void lower_integer_add(LaneBuilder& lb, const Instruction& inst) {
  const bool is_signed = ptx::is_signed(first_type(inst));
  lower_binary(lb, inst, [&](Value* a, Value* b) {
    return inst.mods.sat ? binary(lb, is_signed ? llvm::Intrinsic::sadd_sat : llvm::Intrinsic::uadd_sat, a, b)
                         : lb.ir().CreateAdd(a, b);
  });
}

void lower_integer_sub(LaneBuilder& lb, const Instruction& inst) {
  const bool is_signed = ptx::is_signed(first_type(inst));
  lower_binary(lb, inst, [&](Value* a, Value* b) {
    return inst.mods.sat ? binary(lb, is_signed ? llvm::Intrinsic::ssub_sat : llvm::Intrinsic::usub_sat, a, b)
                         : lb.ir().CreateSub(a, b);
  });
}

void lower_integer_mul(LaneBuilder& lb, const Instruction& inst) {
  auto& ir = lb.ir();
  const Type type = first_type(inst);
  Value* a = source(lb, inst, 1, type);
  Value* b = source(lb, inst, 2, type);
  if (inst.mods.mode == Mode::Wide) {
    llvm::Type* wide = lb.type_of(doubled(type));
    result(lb, inst, doubled(type), ir.CreateMul(extend_to(lb, a, type, wide), extend_to(lb, b, type, wide)));
  } else if (inst.mods.mode == Mode::Hi) {
    result(lb, inst, type, multiply_high(lb, a, b, ptx::is_signed(type)));
  } else {
    result(lb, inst, type, ir.CreateMul(a, b));
  }
}

void lower_integer_mad(LaneBuilder& lb, const Instruction& inst) {
  auto& ir = lb.ir();
  const Type type = first_type(inst);
  Value* a = source(lb, inst, 1, type);
  Value* b = source(lb, inst, 2, type);
  if (inst.mods.mode == Mode::Wide) {
    const Type wide = doubled(type);
    llvm::Type* to = lb.type_of(wide);
    Value* product = ir.CreateMul(extend_to(lb, a, type, to), extend_to(lb, b, type, to));
    result(lb, inst, wide, ir.CreateAdd(product, source(lb, inst, 3, wide)));
    return;
  }
  Value* c = source(lb, inst, 3, type);
  Value* product = inst.mods.mode == Mode::Hi ? multiply_high(lb, a, b, ptx::is_signed(type)) : ir.CreateMul(a, b);
  result(lb, inst, type, inst.mods.sat ? binary(lb, llvm::Intrinsic::sadd_sat, product, c) : ir.CreateAdd(product, c));
}

void lower_mul24(LaneBuilder& lb, const Instruction& inst) { result(lb, inst, first_type(inst), pick24(lb, inst)); }

void lower_mad24(LaneBuilder& lb, const Instruction& inst) {
  Value* product = pick24(lb, inst);
  Value* c = source(lb, inst, 3, first_type(inst));
  result(lb, inst, first_type(inst),
         inst.mods.sat ? binary(lb, llvm::Intrinsic::sadd_sat, product, c) : lb.ir().CreateAdd(product, c));
}

void lower_sad(LaneBuilder& lb, const Instruction& inst) {
  auto& ir = lb.ir();
  const Type type = first_type(inst);
  Value* a = source(lb, inst, 1, type);
  Value* b = source(lb, inst, 2, type);
  Value* less = ptx::is_signed(type) ? ir.CreateICmpSLT(a, b) : ir.CreateICmpULT(a, b);
  Value* distance = ir.CreateSelect(less, ir.CreateSub(b, a), ir.CreateSub(a, b));
  result(lb, inst, type, ir.CreateAdd(source(lb, inst, 3, type), distance));
}

// The manual leaves division by zero unspecified; an H200 gives all ones, for the remainder too, in every width.
void lower_integer_div(LaneBuilder& lb, const Instruction& inst) {
  auto& ir = lb.ir();
  const Type type = first_type(inst);
  Value* a = source(lb, inst, 1, type);
  const Divisor b = guard_divisor(lb, source(lb, inst, 2, type));
  Value* quotient = ptx::is_signed(type) ? signed_divide(lb, a, b.safe) : ir.CreateUDiv(a, b.safe);
  result(lb, inst, type, ir.CreateSelect(b.is_zero, llvm::Constant::getAllOnesValue(a->getType()), quotient));
}

void lower_rem(LaneBuilder& lb, const Instruction& inst) {
  auto& ir = lb.ir();
  const Type type = first_type(inst);
  Value* a = source(lb, inst, 1, type);
  const Divisor b = guard_divisor(lb, source(lb, inst, 2, type));
  Value* quotient = ptx::is_signed(type) ? signed_divide(lb, a, b.safe) : ir.CreateUDiv(a, b.safe);
  Value* remainder = ir.CreateSub(a, ir.CreateMul(quotient, b.safe));
  result(lb, inst, type, ir.CreateSelect(b.is_zero, llvm::Constant::getAllOnesValue(a->getType()), remainder));
}

void lower_integer_abs(LaneBuilder& lb, const Instruction& inst) {
  const Type type = first_type(inst);
  Value* a = source(lb, inst, 1, type);
  result(lb, inst, type, binary(lb, llvm::Intrinsic::abs, a, lb.ir().getFalse())); // abs(MIN) is MIN
}

void lower_integer_neg(LaneBuilder& lb, const Instruction& inst) {
  const Type type = first_type(inst);
  result(lb, inst, type, lb.ir().CreateNeg(source(lb, inst, 1, type)));
}

void lower_integer_min(LaneBuilder& lb, const Instruction& inst) {
  lower_min_max(lb, inst, llvm::Intrinsic::smin, llvm::Intrinsic::umin);
}

void lower_integer_max(LaneBuilder& lb, const Instruction& inst) {
  lower_min_max(lb, inst, llvm::Intrinsic::smax, llvm::Intrinsic::umax);
}

void lower_popc(LaneBuilder& lb, const Instruction& inst) {
  count_result(lb, inst, unary(lb, llvm::Intrinsic::ctpop, source(lb, inst, 1, first_type(inst))));
}

void lower_clz(LaneBuilder& lb, const Instruction& inst) {
  Value* a = source(lb, inst, 1, first_type(inst));
  count_result(lb, inst, binary(lb, llvm::Intrinsic::ctlz, a, lb.ir().getFalse()));
}

// The position of the leading one (for signed types: of the leading bit that differs from the sign), or all ones.
void lower_bfind(LaneBuilder& lb, const Instruction& inst) {
  auto& ir = lb.ir();
  const Type type = first_type(inst);
  Value* a = source(lb, inst, 1, type);
  if (ptx::is_signed(type)) a = ir.CreateXor(a, ir.CreateAShr(a, width_of(a) - 1));
  Value* zeros = binary(lb, llvm::Intrinsic::ctlz, a, ir.getFalse());
  Value* position = inst.mods.shiftamt ? zeros : ir.CreateSub(constant_like(a, width_of(a) - 1), zeros);
  Value* found = ir.CreateICmpNE(a, constant_like(a, 0));
  count_result(lb, inst, ir.CreateSelect(found, ir.CreateTrunc(position, ir.getInt32Ty()), ir.getInt32(~0u)));
}

void lower_fns(LaneBuilder& lb, const Instruction& inst) {
  Value* mask = source(lb, inst, 1, Type::B32);
  Value* base = source(lb, inst, 2, Type::B32);
  Value* offset = source(lb, inst, 3, Type::S32);
  result(lb, inst, Type::B32, lb.rt("fns_b32", lb.ir().getInt32Ty(), {mask, base, offset}));
}

void lower_brev(LaneBuilder& lb, const Instruction& inst) {
  result(lb, inst, first_type(inst), unary(lb, llvm::Intrinsic::bitreverse, source(lb, inst, 1, first_type(inst))));
}

// Bits beyond the top of `a` read as the sign (0 for unsigned types), and so does a field of no bits' sign: 0.
void lower_bfe(LaneBuilder& lb, const Instruction& inst) {
  auto& ir = lb.ir();
  const Type type = first_type(inst);
  Value* a = source(lb, inst, 1, type);
  Value* position = field_operand(lb, inst, 2);
  Value* length = field_operand(lb, inst, 3);
  if (!ptx::is_signed(type)) {
    result(lb, inst, type, ir.CreateAnd(shift_right(lb, a, position), low_mask(lb, a, length)));
    return;
  }
  const unsigned width = width_of(a);
  Value* field = shift_right_signed(lb, a, position);
  Value* spare = ir.CreateSub(ir.getInt32(width), umin(lb, length, ir.getInt32(width)));
  result(lb, inst, type, shift_right_signed(lb, shift_left(lb, field, spare), spare));
}

void lower_bfi(LaneBuilder& lb, const Instruction& inst) {
  auto& ir = lb.ir();
  const Type type = first_type(inst);
  Value* a = source(lb, inst, 1, type);
  Value* b = source(lb, inst, 2, type);
  Value* position = field_operand(lb, inst, 3);
  Value* mask = shift_left(lb, low_mask(lb, a, field_operand(lb, inst, 4)), position);
  Value* inserted = ir.CreateAnd(shift_left(lb, a, position), mask);
  result(lb, inst, type, ir.CreateOr(inserted, ir.CreateAnd(b, ir.CreateNot(mask))));
}

void lower_bmsk(LaneBuilder& lb, const Instruction& inst) {
  auto& ir = lb.ir();
  Value* position = source(lb, inst, 1, Type::B32);
  Value* width = source(lb, inst, 2, Type::B32);
  if (!inst.mods.clamp) {
    position = ir.CreateAnd(position, 31);
    width = ir.CreateAnd(width, 31);
  }
  result(lb, inst, Type::B32, shift_left(lb, low_mask(lb, position, width), position));
}

// Extends the low b bits of a; a width of 32 or more leaves a as it is under .clamp.
void lower_szext(LaneBuilder& lb, const Instruction& inst) {
  auto& ir = lb.ir();
  const Type type = first_type(inst);
  Value* a = source(lb, inst, 1, type);
  Value* width = source(lb, inst, 2, Type::U32);
  width = inst.mods.clamp ? umin(lb, width, ir.getInt32(32)) : ir.CreateAnd(width, 31);
  Value* spare = ir.CreateSub(ir.getInt32(32), width);
  Value* top = shift_left(lb, a, spare);
  result(lb, inst, type, ptx::is_signed(type) ? shift_right_signed(lb, top, spare) : shift_right(lb, top, spare));
}

} // namespace tollgate::lower
