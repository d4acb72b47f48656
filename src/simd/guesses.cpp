#include "simd/guesses.h"

#include "simd/lane_language.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace tollgate::simd {

using namespace llvm;

namespace {

// atom(address, operation, description, site, a, b)
bool is_operand_of_swap(const Use& use) {
  const auto* call = dyn_cast<CallInst>(use.getUser());
  if (call == nullptr || lane_op(*call) != "atom") return false;
  return AtomOp(immediate(*call, 1)) == AtomOp::Cas && use.getOperandNo() >= 4;
}

// A store to the lane's own memory: unoptimised code passes values by it. What is read there again is not followed, so
// that a guess may be too kindly judged, but never one that library code checks.
bool is_private(const Instruction& inst) {
  const auto* call = dyn_cast<CallInst>(&inst);
  if (call == nullptr || lane_op(inst) != "st") return false;
  if (access_of(*call).space == kSpaceLocal) return true;
  // By a generic address: a constant distance from the start of the lane's frame.
  const Value* address = call->getArgOperand(0);
  while (const auto* sum = dyn_cast<BinaryOperator>(address)) {
    if (!isa<ConstantInt>(sum->getOperand(1))) return false;
    address = sum->getOperand(0);
  }
  const auto* base = dyn_cast<CallInst>(address);
  return base != nullptr && lane_op(*base) == "local_base";
}

// Arithmetic that is a function of rtlib, such as that of half and bfloat16.
bool computes(const CallBase& call) { return lane_op(call).empty() && !call.getType()->isVoidTy(); }

bool only_guesses(CallInst& load) {
  SmallVector<Value*, 16> open{&load};
  DenseSet<Value*> seen{&load};
  bool swapped = false;
  while (!open.empty()) {
    for (const Use& use : open.pop_back_val()->uses()) {
      auto* user = cast<Instruction>(use.getUser());
      if (is_operand_of_swap(use)) {
        swapped = true;
        continue;
      }
      if (isa<BranchInst>(user) || is_private(*user)) continue;
      if (isa<CallBase>(user) && !isa<IntrinsicInst>(user) && !computes(*cast<CallBase>(user))) return false;
      if ((!isa<CallBase>(user) && user->mayReadOrWriteMemory()) || user->isTerminator()) return false;
      if (seen.insert(user).second) open.push_back(user);
    }
  }
  return swapped;
}

} // namespace

void mark_guesses(Function& function) {
  for (Instruction& inst : instructions(function)) {
    if (lane_op(inst) != "ld") continue;
    auto& load = cast<CallInst>(inst);
    AccessDesc desc = access_of(load);
    if (desc.order != 0 || !desc.observed || desc.space > kSpaceShared || !only_guesses(load)) continue;
    desc.compares = true;
    set_access(load, desc);
  }
}

} // namespace tollgate::simd
