// Lowering works on one lane: each PTX instruction becomes ordinary scalar LLVM IR, written with IRBuilder as if
// there were a single thread. LLVM's own passes clean that up; simd/ then widens it to a warp of 32 lanes.
//
// Whatever depends on other lanes, memory or the schedule is a call to a `tg.*` function that the widener knows
// (docs/architecture.md, "The lane language"). Everything else must be pure LLVM IR without undefined behaviour for
// any input: shifts by too much, division by zero, INT_MIN / -1 and out-of-range conversions get the result that the
// PTX manual or the hardware gives.
#pragma once

#include "base/result.h"
#include "ptx/inst_table.h"
#include "ptx/module.h"

#include <llvm/IR/IRBuilder.h>

#include <string_view>

namespace tollgate::lower {

class LaneBuilder {
public:
  virtual ~LaneBuilder() = default;

  llvm::IRBuilder<>& ir() { return ir_; }
  llvm::LLVMContext& context() { return ir_.getContext(); }

  // The LLVM type a PTX type travels in: iN for B/U/S types and packed pairs (F16x2, BF16x2, U16x2: i32), i1 for
  // Pred, float, double, half for F32, F64, F16; BF16 is i16 (bit pattern); B128 is i128; TF32 is float.
  llvm::Type* type_of(ptx::Type type);

  // The value of a source operand, converted from the register's declared width to `type` (zero-extension or
  // truncation of the bits, as PTX's relaxed operand rules ask; 5.4.? and table "Operand Size Exceeding
  // Instruction-Type Size").
  virtual llvm::Value* use(const ptx::Operand& operand, ptx::Type type) = 0;

  // Writes a destination operand; a sink is ignored. The value's type is type_of(type).
  // A destination register wider than the type is sign-extended for S types and zero-extended otherwise.
  virtual void def(const ptx::Operand& operand, ptx::Type type, llvm::Value* value) = 0;

  // The p of a `d|p` destination.
  virtual void def_pair(const ptx::Operand& operand, llvm::Value* i1) = 0;

  // The carry flag CC.CF as i1.
  virtual llvm::Value* carry() = 0;
  virtual void set_carry(llvm::Value* i1) = 0;

  // Calls a pure scalar function of rtlib/ by name ("ex2_approx_f32"); the widener uses its 32-lane twin.
  llvm::Value* rt(std::string_view name, llvm::Type* result, llvm::ArrayRef<llvm::Value*> args);

  // Records that the instruction cannot be lowered; compilation of the kernel ends with this error.
  virtual void fail(const ptx::Instruction& inst, std::string message) = 0;

  // Whether f32 operations give the hardware's one NaN, 0x7fffffff, rather than whatever the host's arithmetic leaves.
  bool canonical_nans = true;

protected:
  explicit LaneBuilder(llvm::LLVMContext& context) : ir_(context) {}
  llvm::IRBuilder<> ir_;
};

// One lowering function per opcode; the guard predicate has already been dealt with.
using LowerFn = void (*)(LaneBuilder&, const ptx::Instruction&);

} // namespace tollgate::lower
