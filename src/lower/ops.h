// Small helpers that every chapter of the pure instructions uses.
#pragma once

#include "lower/lane_builder.h"

#include <llvm/IR/Intrinsics.h>

#include <string>

namespace tollgate::lower {

using llvm::Value;
using ptx::Instruction;
using ptx::Rounding;
using ptx::Type;

inline Type first_type(const Instruction& inst) { return inst.mods.types[0]; }
inline Type second_type(const Instruction& inst) { return inst.mods.types[1]; }

inline bool is_packed_integer(Type type) { return type == Type::U16x2 || type == Type::S16x2; }
inline bool is_half(Type type) {
  return type == Type::F16 || type == Type::F16x2 || type == Type::BF16 || type == Type::BF16x2;
}

// Source operand `index` (operands[0] is the destination) as a value of `type`.
inline Value* source(LaneBuilder& lb, const Instruction& inst, size_t index, Type type) {
  return lb.use(inst.operands[index], type);
}
inline void result(LaneBuilder& lb, const Instruction& inst, Type type, Value* value) {
  lb.def(inst.operands[0], type, value);
}

// An integer constant of the type of `like`.
inline llvm::ConstantInt* constant_like(Value* like, uint64_t bits) {
  return llvm::cast<llvm::ConstantInt>(llvm::ConstantInt::get(like->getType(), bits));
}
inline unsigned width_of(Value* value) { return value->getType()->getScalarSizeInBits(); }

inline Value* unary(LaneBuilder& lb, llvm::Intrinsic::ID id, Value* a) { return lb.ir().CreateUnaryIntrinsic(id, a); }
inline Value* binary(LaneBuilder& lb, llvm::Intrinsic::ID id, Value* a, Value* b) {
  return lb.ir().CreateBinaryIntrinsic(id, a, b);
}
inline Value* ternary(LaneBuilder& lb, llvm::Intrinsic::ID id, Value* a, Value* b, Value* c) {
  return lb.ir().CreateIntrinsic(id, {a->getType()}, {a, b, c});
}
inline Value* smin(LaneBuilder& lb, Value* a, Value* b) { return binary(lb, llvm::Intrinsic::smin, a, b); }
inline Value* smax(LaneBuilder& lb, Value* a, Value* b) { return binary(lb, llvm::Intrinsic::smax, a, b); }
inline Value* umin(LaneBuilder& lb, Value* a, Value* b) { return binary(lb, llvm::Intrinsic::umin, a, b); }
inline Value* umax(LaneBuilder& lb, Value* a, Value* b) { return binary(lb, llvm::Intrinsic::umax, a, b); }

// Shifts that are defined for every count: beyond the width they give zero (or the sign).
Value* shift_left(LaneBuilder& lb, Value* a, Value* count);
Value* shift_right(LaneBuilder& lb, Value* a, Value* count);
Value* shift_right_signed(LaneBuilder& lb, Value* a, Value* count);

// The two 16-bit halves of a packed i32, low half first, and the way back.
struct Halves {
  Value* low;
  Value* high;
};
Halves split_halves(LaneBuilder& lb, Value* packed);
Value* join_halves(LaneBuilder& lb, Value* low, Value* high);

// "add.sat.u64: ..." for a combination that no row of the manual has.
void unsupported_form(LaneBuilder& lb, const Instruction& inst, std::string what);

} // namespace tollgate::lower
