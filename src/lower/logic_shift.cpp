// PTX ISA 9.7.8, Logic and Shift Instructions.
#include "lower/chapters.h"
#include "lower/ops.h"

namespace tollgate::lower {
namespace {

using ptx::Mode;

template <llvm::Instruction::BinaryOps Opcode> void lower_logic(LaneBuilder& lb, const Instruction& inst) {
  const Type type = first_type(inst);
  Value* a = source(lb, inst, 1, type);
  result(lb, inst, type, lb.ir().CreateBinOp(Opcode, a, source(lb, inst, 2, type)));
}

// The function of b and c whose truth table is `table`, bit number 2*b + c.
Value* two_input(LaneBuilder& lb, Value* b, Value* c, unsigned table) {
  auto& ir = lb.ir();
  if (table & 8) {
    // Tables with both inputs set are the complements of the other eight.
    return ir.CreateNot(two_input(lb, b, c, ~table & 15));
  }
  switch (table) {
  case 0: return constant_like(b, 0);
  case 1: return ir.CreateNot(ir.CreateOr(b, c));
  case 2: return ir.CreateAnd(ir.CreateNot(b), c);
  case 3: return ir.CreateNot(b);
  case 4: return ir.CreateAnd(b, ir.CreateNot(c));
  case 5: return ir.CreateNot(c);
  case 6: return ir.CreateXor(b, c);
  default: return ir.CreateNot(ir.CreateAnd(b, c));
  }
}

// f(a,b,c) = f0 ^ (a & (f0 ^ f1)) with f0 = f(0,b,c) and f1 = f(1,b,c).
Value* three_input(LaneBuilder& lb, Value* a, Value* b, Value* c, unsigned table) {
  auto& ir = lb.ir();
  const unsigned f0 = table & 15;
  const unsigned f1 = (table >> 4) & 15;
  return ir.CreateXor(two_input(lb, b, c, f0), ir.CreateAnd(a, two_input(lb, b, c, f0 ^ f1)));
}

} // namespace

void lower_and(LaneBuilder& lb, const Instruction& inst) { lower_logic<llvm::Instruction::And>(lb, inst); }
void lower_or(LaneBuilder& lb, const Instruction& inst) { lower_logic<llvm::Instruction::Or>(lb, inst); }
void lower_xor(LaneBuilder& lb, const Instruction& inst) { lower_logic<llvm::Instruction::Xor>(lb, inst); }

void lower_not(LaneBuilder& lb, const Instruction& inst) {
  const Type type = first_type(inst);
  result(lb, inst, type, lb.ir().CreateNot(source(lb, inst, 1, type)));
}

void lower_cnot(LaneBuilder& lb, const Instruction& inst) {
  const Type type = first_type(inst);
  Value* a = source(lb, inst, 1, type);
  result(lb, inst, type, lb.ir().CreateZExt(lb.ir().CreateICmpEQ(a, constant_like(a, 0)), a->getType()));
}

// lop3.b32 d, a, b, c, immLut and lop3.BoolOp.b32 d|p, a, b, c, immLut, q with p = (d != 0) BoolOp q.
void lower_lop3(LaneBuilder& lb, const Instruction& inst) {
  auto& ir = lb.ir();
  Value* a = source(lb, inst, 1, Type::B32);
  Value* b = source(lb, inst, 2, Type::B32);
  Value* c = source(lb, inst, 3, Type::B32);
  Value* d = three_input(lb, a, b, c, static_cast<unsigned>(inst.operands[4].bits & 0xff));
  result(lb, inst, Type::B32, d);
  if (inst.mods.op == ptx::Op::None || inst.operands.size() < 6) return;
  Value* q = source(lb, inst, 5, Type::Pred);
  Value* nonzero = ir.CreateICmpNE(d, constant_like(d, 0));
  lb.def_pair(inst.operands[0], inst.mods.op == ptx::Op::And ? ir.CreateAnd(nonzero, q) : ir.CreateOr(nonzero, q));
}

// The funnel shift of c = [b:a]; .clamp stops at 32, .wrap takes the count modulo 32.
void lower_shf(LaneBuilder& lb, const Instruction& inst) {
  auto& ir = lb.ir();
  Value* a = source(lb, inst, 1, Type::B32);
  Value* b = source(lb, inst, 2, Type::B32);
  Value* count = source(lb, inst, 3, Type::U32);
  const bool left = inst.mods.mode == Mode::Left;
  Value* shifted = ternary(lb, left ? llvm::Intrinsic::fshl : llvm::Intrinsic::fshr, b, a, count);
  if (inst.mods.clamp) shifted = ir.CreateSelect(ir.CreateICmpUGE(count, ir.getInt32(32)), left ? a : b, shifted);
  result(lb, inst, Type::B32, shifted);
}

void lower_shl(LaneBuilder& lb, const Instruction& inst) {
  const Type type = first_type(inst);
  result(lb, inst, type, shift_left(lb, source(lb, inst, 1, type), source(lb, inst, 2, Type::U32)));
}

void lower_shr(LaneBuilder& lb, const Instruction& inst) {
  const Type type = first_type(inst);
  Value* a = source(lb, inst, 1, type);
  Value* count = source(lb, inst, 2, Type::U32);
  result(lb, inst, type, ptx::is_signed(type) ? shift_right_signed(lb, a, count) : shift_right(lb, a, count));
}

} // namespace tollgate::lower
