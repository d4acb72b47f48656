// PTX ISA 9.7.2, Extended-Precision Integer Arithmetic Instructions: the carry flag CC.CF.
//
// The manual says that a subtraction writes its borrow there. As long as sub.cc and subc are by themselves that cannot
// be told from what the hardware does, which adds the complement and 1: the flag is then set where nothing was
// borrowed. nvcc's division of 128-bit integers reads the flag of a subtraction by addc, and relies on the latter.
#include "lower/chapters.h"
#include "lower/ops.h"
#include "lower/wide_multiply.h"

namespace tollgate::lower {
namespace {

// a + b + carry; the carry out is set where the instruction asks for it. `carry` may be null.
Value* add_with_carry(LaneBuilder& lb, Value* a, Value* b, Value* carry, bool write_carry) {
  auto& ir = lb.ir();
  Value* sum = ir.CreateAdd(a, b);
  Value* out = ir.CreateICmpULT(sum, a);
  if (carry) {
    Value* total = ir.CreateAdd(sum, ir.CreateZExt(carry, a->getType()));
    out = ir.CreateOr(out, ir.CreateICmpULT(total, sum));
    sum = total;
  }
  if (write_carry) lb.set_carry(out);
  return sum;
}

// a + ~b + carry, where no `carry` is one that is set.
Value* subtract_with_borrow(LaneBuilder& lb, Value* a, Value* b, Value* carry, bool write_carry) {
  auto& ir = lb.ir();
  Value* difference = ir.CreateSub(a, b);
  Value* borrowed = ir.CreateICmpULT(a, b);
  if (carry) {
    Value* taken = ir.CreateZExt(ir.CreateNot(carry), a->getType());
    borrowed = ir.CreateOr(borrowed, ir.CreateICmpULT(difference, taken));
    difference = ir.CreateSub(difference, taken);
  }
  if (write_carry) lb.set_carry(ir.CreateNot(borrowed));
  return difference;
}

Value* product(LaneBuilder& lb, const Instruction& inst) {
  const Type type = first_type(inst);
  Value* a = source(lb, inst, 1, type);
  Value* b = source(lb, inst, 2, type);
  return inst.mods.mode == ptx::Mode::Hi ? multiply_high(lb, a, b, ptx::is_signed(type)) : lb.ir().CreateMul(a, b);
}

void lower_add(LaneBuilder& lb, const Instruction& inst, Value* carry) {
  const Type type = first_type(inst);
  Value* a = source(lb, inst, 1, type);
  result(lb, inst, type, add_with_carry(lb, a, source(lb, inst, 2, type), carry, inst.mods.cc));
}

void lower_sub(LaneBuilder& lb, const Instruction& inst, Value* carry) {
  const Type type = first_type(inst);
  Value* a = source(lb, inst, 1, type);
  result(lb, inst, type, subtract_with_borrow(lb, a, source(lb, inst, 2, type), carry, inst.mods.cc));
}

void lower_mad(LaneBuilder& lb, const Instruction& inst, Value* carry) {
  const Type type = first_type(inst);
  Value* p = product(lb, inst);
  result(lb, inst, type, add_with_carry(lb, p, source(lb, inst, 3, type), carry, inst.mods.cc));
}

} // namespace

void lower_add_carry(LaneBuilder& lb, const Instruction& inst) { lower_add(lb, inst, nullptr); }
void lower_addc(LaneBuilder& lb, const Instruction& inst) { lower_add(lb, inst, lb.carry()); }
void lower_sub_carry(LaneBuilder& lb, const Instruction& inst) { lower_sub(lb, inst, nullptr); }
void lower_subc(LaneBuilder& lb, const Instruction& inst) { lower_sub(lb, inst, lb.carry()); }
void lower_mad_carry(LaneBuilder& lb, const Instruction& inst) { lower_mad(lb, inst, nullptr); }
void lower_madc(LaneBuilder& lb, const Instruction& inst) { lower_mad(lb, inst, lb.carry()); }

} // namespace tollgate::lower
