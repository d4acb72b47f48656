#include "simd/polling.h"

#include "simd/lane_language.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/Instructions.h>

namespace tollgate::simd {

using namespace llvm;

namespace {

// What a value inside the loop is made of: plain loads that no trip of the loop itself can change, and nothing else.
class ExitCondition {
public:
  explicit ExitCondition(Loop& loop) : loop_(loop) {}

  bool follows(Value* value) {
    auto* inst = dyn_cast<Instruction>(value);
    if (inst == nullptr || !loop_.contains(inst) || !seen_.insert(inst).second) return true;
    if (lane_op(*inst) == "ld") {
      auto* load = cast<CallInst>(inst);
      if (!is_shared_between_threads(*load)) return false;
      loads.push_back(load);
      return follows(load->getArgOperand(0));
    }
    if (isa<PHINode>(inst) && inst->getParent() == loop_.getHeader()) return false; // it counts
    if (auto* call = dyn_cast<CallBase>(inst); call != nullptr && call->isConvergent()) return false;
    if (inst->mayReadOrWriteMemory()) return false;
    return all_of(inst->operands(), [&](Use& operand) { return follows(operand.get()); });
  }

  std::vector<CallInst*> loads;

private:
  static bool is_shared_between_threads(const CallInst& load) {
    const AccessDesc desc = access_of(load);
    return desc.order == 0 && desc.observed && desc.space <= kSpaceShared; // or generic, or global
  }

  Loop& loop_;
  DenseSet<Instruction*> seen_;
};

bool only_reads(const Loop& loop) {
  for (BasicBlock* block : loop.blocks())
    for (Instruction& inst : *block) {
      const std::string_view op = lane_op(inst);
      if (inst.mayWriteToMemory() && op != "ld") return false;
    }
  return true;
}

} // namespace

bool mark_polled_loads(Loop& loop) {
  if (!only_reads(loop)) return false;
  SmallVector<BasicBlock*, 4> exiting;
  loop.getExitingBlocks(exiting);
  bool any = false;
  for (BasicBlock* block : exiting) {
    auto* branch = dyn_cast<BranchInst>(block->getTerminator());
    if (branch == nullptr || !branch->isConditional()) continue;
    ExitCondition condition(loop);
    if (!condition.follows(branch->getCondition())) continue;
    for (CallInst* load : condition.loads) {
      AccessDesc desc = access_of(*load);
      desc.polls = true;
      set_access(*load, desc);
      any = true;
    }
  }
  return any;
}

} // namespace tollgate::simd
