// PTX ISA 9.7.6 and 9.7.7: set, setp, selp, slct, for every type.
#include "lower/chapters.h"
#include "lower/half_ops.h"

#include <optional>

namespace tollgate::lower {
namespace {

using Predicate = llvm::CmpInst::Predicate;
using ptx::CmpOp;

std::optional<Predicate> integer_predicate(CmpOp cmp, bool is_signed) {
  switch (cmp) {
  case CmpOp::EQ: return Predicate::ICMP_EQ;
  case CmpOp::NE: return Predicate::ICMP_NE;
  case CmpOp::LT: return is_signed ? Predicate::ICMP_SLT : Predicate::ICMP_ULT;
  case CmpOp::LE: return is_signed ? Predicate::ICMP_SLE : Predicate::ICMP_ULE;
  case CmpOp::GT: return is_signed ? Predicate::ICMP_SGT : Predicate::ICMP_UGT;
  case CmpOp::GE: return is_signed ? Predicate::ICMP_SGE : Predicate::ICMP_UGE;
  case CmpOp::LO: return Predicate::ICMP_ULT;
  case CmpOp::LS: return Predicate::ICMP_ULE;
  case CmpOp::HI: return Predicate::ICMP_UGT;
  case CmpOp::HS: return Predicate::ICMP_UGE;
  default: return std::nullopt;
  }
}

// Plain comparisons are false for NaN (also ne), the ...u ones true.
std::optional<Predicate> float_predicate(CmpOp cmp) {
  switch (cmp) {
  case CmpOp::EQ: return Predicate::FCMP_OEQ;
  case CmpOp::NE: return Predicate::FCMP_ONE;
  case CmpOp::LT: return Predicate::FCMP_OLT;
  case CmpOp::LE: return Predicate::FCMP_OLE;
  case CmpOp::GT: return Predicate::FCMP_OGT;
  case CmpOp::GE: return Predicate::FCMP_OGE;
  case CmpOp::EQU: return Predicate::FCMP_UEQ;
  case CmpOp::NEU: return Predicate::FCMP_UNE;
  case CmpOp::LTU: return Predicate::FCMP_ULT;
  case CmpOp::LEU: return Predicate::FCMP_ULE;
  case CmpOp::GTU: return Predicate::FCMP_UGT;
  case CmpOp::GEU: return Predicate::FCMP_UGE;
  case CmpOp::NUM: return Predicate::FCMP_ORD;
  case CmpOp::NAN_: return Predicate::FCMP_UNO;
  default: return std::nullopt;
  }
}

// One comparison, or two for packed halves (low first).
struct Comparison {
  Value* low = nullptr;
  Value* high = nullptr;
};

Value* compare_halves(LaneBuilder& lb, const Instruction& inst, Predicate predicate, Value* a, Value* b,
                      HalfFormat format) {
  if (inst.mods.ftz) {
    a = flush_half(lb, a, format);
    b = flush_half(lb, b, format);
  }
  return lb.ir().CreateFCmp(predicate, half_to_f32(lb, a, format), half_to_f32(lb, b, format));
}

Comparison compare(LaneBuilder& lb, const Instruction& inst, Type type) {
  auto& ir = lb.ir();
  const auto predicate =
      ptx::is_float(type) ? float_predicate(inst.mods.cmp) : integer_predicate(inst.mods.cmp, ptx::is_signed(type));
  if (!predicate) {
    unsupported_form(lb, inst, "this comparison");
    return {ir.getFalse(), ir.getFalse()};
  }
  if (!ptx::is_float(type)) return {ir.CreateICmp(*predicate, source(lb, inst, 1, type), source(lb, inst, 2, type))};
  if (!is_half(type))
    return {ir.CreateFCmp(*predicate, float_source(lb, inst, 1, type), float_source(lb, inst, 2, type))};
  const HalfFormat format = half_format(type);
  Value* a = half_source(lb, inst, 1, type);
  Value* b = half_source(lb, inst, 2, type);
  if (!is_packed_half(type)) return {compare_halves(lb, inst, *predicate, a, b, format)};
  const Halves x = split_halves(lb, a);
  const Halves y = split_halves(lb, b);
  return {compare_halves(lb, inst, *predicate, x.low, y.low, format),
          compare_halves(lb, inst, *predicate, x.high, y.high, format)};
}

// The boolean tail of setp and set: `.and` c and so on, c being operand 3.
struct Tail {
  ptx::Op op = ptx::Op::None;
  Value* c = nullptr;

  Value* apply(LaneBuilder& lb, Value* answer) const {
    switch (op) {
    case ptx::Op::And: return lb.ir().CreateAnd(answer, c);
    case ptx::Op::Or: return lb.ir().CreateOr(answer, c);
    case ptx::Op::Xor: return lb.ir().CreateXor(answer, c);
    default: return answer;
    }
  }
};

Tail tail_of(LaneBuilder& lb, const Instruction& inst) {
  if (inst.mods.op == ptx::Op::None || inst.operands.size() < 4) return {};
  return {inst.mods.op, source(lb, inst, 3, Type::Pred)};
}

// What `set` writes for true: all ones for integers, 1.0 for floats.
uint64_t true_bits(Type type) {
  switch (type) {
  case Type::F32: return 0x3f800000u;
  case Type::F16: return 0x3c00;
  case Type::F16x2: return 0x3c00;
  case Type::BF16: return 0x3f80;
  case Type::BF16x2: return 0x3f80;
  default: return ~uint64_t{0};
  }
}

} // namespace

// With packed halves p takes the low comparison and q the high one; otherwise q takes the complement of the comparison.
void lower_setp(LaneBuilder& lb, const Instruction& inst) {
  const Type type = first_type(inst);
  const Comparison answer = compare(lb, inst, type);
  const Tail tail = tail_of(lb, inst);
  lb.def(inst.operands[0], Type::Pred, tail.apply(lb, answer.low));
  if (inst.operands[0].pair == -1) return;
  lb.def_pair(inst.operands[0], tail.apply(lb, answer.high ? answer.high : lb.ir().CreateNot(answer.low)));
}

void lower_set(LaneBuilder& lb, const Instruction& inst) {
  auto& ir = lb.ir();
  const Type to = first_type(inst);
  const Comparison answer = compare(lb, inst, second_type(inst));
  const Tail tail = tail_of(lb, inst);
  auto bits = [&](Value* truth, unsigned width) {
    llvm::Type* type = ir.getIntNTy(width);
    return ir.CreateSelect(tail.apply(lb, truth), llvm::ConstantInt::get(type, true_bits(to)),
                           llvm::ConstantInt::get(type, 0));
  };
  if (answer.high) return result(lb, inst, Type::B32, join_halves(lb, bits(answer.low, 16), bits(answer.high, 16)));
  result(lb, inst, to, ir.CreateBitCast(bits(answer.low, ptx::bit_width(to)), lb.type_of(to)));
}

void lower_selp(LaneBuilder& lb, const Instruction& inst) {
  const Type type = first_type(inst);
  Value* a = source(lb, inst, 1, type);
  Value* b = source(lb, inst, 2, type);
  result(lb, inst, type, lb.ir().CreateSelect(source(lb, inst, 3, Type::Pred), a, b));
}

// c >= 0 selects a; for a float c, -0 counts as >= 0 and NaN does not.
void lower_slct(LaneBuilder& lb, const Instruction& inst) {
  auto& ir = lb.ir();
  const Type type = first_type(inst);
  const Type selector = second_type(inst);
  Value* a = source(lb, inst, 1, type);
  Value* b = source(lb, inst, 2, type);
  Value* c = float_source(lb, inst, 3, selector);
  Value* choose_a =
      selector == Type::F32 ? ir.CreateFCmpOGE(c, float_constant(c, 0.0)) : ir.CreateICmpSGE(c, constant_like(c, 0));
  result(lb, inst, type, ir.CreateSelect(choose_a, a, b));
}

} // namespace tollgate::lower
