#include "simd/guesses.h"

#include "simd/lane_language.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace tollgate::simd {

using namespace llvm;

namespace {

AccessDesc desc_of(const CallInst& load) {
  return AccessDesc::decode(uint32_t(cast<ConstantInt>(load.getArgOperand(1))->getZExtValue()));
}

// atom(address, operation, description, site, a, b)
bool is_operand_of_swap(const Use& use) {
  const auto* call = dyn_cast<CallInst>(use.getUser());
  if (call == nullptr || lane_op(*call) != "atom") return false;
  const auto operation = AtomOp(cast<ConstantInt>(call->getArgOperand(1))->getZExtValue());
  return operation == AtomOp::Cas && use.getOperandNo() >= 4;
}

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
      if (isa<BranchInst>(user)) continue;
      if (isa<CallBase>(user) && !isa<IntrinsicInst>(user)) return false;
      if (user->mayReadOrWriteMemory() || user->isTerminator()) return false;
      if (seen.insert(user).second) open.push_back(user);
    }
  }
  return swapped;
}

} // namespace

void mark_guesses(Function& function) {
  constexpr uint8_t last_shared_space = 2; // observe::MemorySpace: generic, global, shared
  for (Instruction& inst : instructions(function)) {
    if (lane_op(inst) != "ld") continue;
    auto& load = cast<CallInst>(inst);
    AccessDesc desc = desc_of(load);
    if (desc.order != 0 || !desc.observed || desc.space > last_shared_space || !only_guesses(load)) continue;
    desc.compares = true;
    load.setArgOperand(1, ConstantInt::get(load.getArgOperand(1)->getType(), desc.encode()));
  }
}

} // namespace tollgate::simd
