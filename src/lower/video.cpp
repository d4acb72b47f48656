// PTX ISA 9.7.1.23 and 9.7.1.24: dp4a and dp2a, dot products of packed bytes.
#include "lower/chapters.h"
#include "lower/ops.h"

namespace tollgate::lower {
namespace {

// Element `index` of `bits` bits, extended to 32.
Value* element(LaneBuilder& lb, Value* packed, unsigned index, unsigned bits, bool is_signed) {
  auto& ir = lb.ir();
  Value* top = ir.CreateShl(packed, 32 - bits * (index + 1));
  return is_signed ? ir.CreateAShr(top, 32 - bits) : ir.CreateLShr(top, 32 - bits);
}

Value* accumulator(LaneBuilder& lb, const Instruction& inst) { return source(lb, inst, 3, Type::B32); }

Type sum_type(const Instruction& inst) {
  return ptx::is_signed(first_type(inst)) || ptx::is_signed(second_type(inst)) ? Type::S32 : Type::U32;
}

} // namespace

void lower_dp4a(LaneBuilder& lb, const Instruction& inst) {
  auto& ir = lb.ir();
  Value* a = source(lb, inst, 1, Type::B32);
  Value* b = source(lb, inst, 2, Type::B32);
  Value* sum = accumulator(lb, inst);
  for (unsigned i = 0; i < 4; ++i)
    sum = ir.CreateAdd(sum, ir.CreateMul(element(lb, a, i, 8, ptx::is_signed(first_type(inst))),
                                         element(lb, b, i, 8, ptx::is_signed(second_type(inst)))));
  result(lb, inst, sum_type(inst), sum);
}

void lower_dp2a(LaneBuilder& lb, const Instruction& inst) {
  auto& ir = lb.ir();
  Value* a = source(lb, inst, 1, Type::B32);
  Value* b = source(lb, inst, 2, Type::B32);
  Value* sum = accumulator(lb, inst);
  const bool high = inst.mods.hi_lo_pair || inst.mods.mode == ptx::Mode::Hi;
  for (unsigned i = 0; i < 2; ++i)
    sum = ir.CreateAdd(sum, ir.CreateMul(element(lb, a, i, 16, ptx::is_signed(first_type(inst))),
                                         element(lb, b, i + (high ? 2 : 0), 8, ptx::is_signed(second_type(inst)))));
  result(lb, inst, sum_type(inst), sum);
}

} // namespace tollgate::lower
