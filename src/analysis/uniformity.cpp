#include "analysis/uniformity.h"

#include "analysis/liveness.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>

namespace tollgate::analysis {

using namespace llvm;

Uniformity::Uniformity(Function& function, const LoopInfo& loops, const PostDominatorTree& post_dominators,
                       const UniformityClient& client)
    : function_(function), loops_(loops), post_dominators_(post_dominators), client_(client) {
  do propagate();
  while (force_varying_across_stops());
}

// Grows the set of varying values until nothing changes: a value is varying by its operands, by what the call does,
// or, for a phi, because lanes reach it along different ways.
void Uniformity::propagate() {
  bool changed = true;
  while (changed) {
    changed = false;
    for (BasicBlock& block : function_) {
      for (Instruction& inst : block) {
        if (inst.getType()->isVoidTy() && !inst.isTerminator()) continue;
        if (varying_.contains(&inst)) continue;
        bool varying = false;
        LaneResult kind = isa<CallInst>(inst) ? client_.result(inst) : LaneResult::Elementwise;
        if (kind == LaneResult::Varying) {
          varying = true;
        } else if (kind == LaneResult::Elementwise) {
          for (Value* op : inst.operands()) varying |= varying_.contains(op);
          if (isa<PHINode>(inst)) varying |= joins_.contains(&block);
        }
        if (isa<AllocaInst>(inst)) varying = true;
        if (!varying) continue;
        varying_.insert(&inst);
        changed = true;
        if (inst.isTerminator() && inst.getNumSuccessors() > 1 && noted_.insert(&block).second)
          note_divergent_branch(&block);
      }
    }
  }
}

// Marks what a divergent branch parts: the blocks between it and its immediate post-dominator are run by some lanes
// only; joins among them and the post-dominator merge lanes that came different ways. A loop that the region leaves is
// left at different times: the phis behind its exits are joins, too. The header of a loop that holds the branch is
// none, since all lanes in a loop go round together.
void Uniformity::note_divergent_branch(const BasicBlock* block) {
  const auto* node = post_dominators_.getNode(block);
  const BasicBlock* end = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  SmallVector<const BasicBlock*, 16> work(successors(block));
  DenseSet<const BasicBlock*> seen;
  auto join = [&](const BasicBlock* b) {
    const Loop* loop = loops_.getLoopFor(b);
    if (loop && loop->getHeader() == b) return;
    if (!b->hasNPredecessors(1)) joins_.insert(b);
  };
  while (!work.empty()) {
    const BasicBlock* b = work.pop_back_val();
    if (!seen.insert(b).second) continue;
    join(b);
    if (b == end) continue;
    divergent_blocks_.insert(b);
    for (const BasicBlock* s : successors(b)) work.push_back(s);
  }
  // The post-dominator may lie inside a loop that the region leaves: the way out comes back through the loop around it.
  for (const Loop* loop = loops_.getLoopFor(block); loop; loop = loop->getParentLoop()) {
    const bool leaves = !end || any_of(seen, [&](const BasicBlock* b) { return !loop->contains(b); });
    if (!leaves) break;
    for (const BasicBlock* b : loop->blocks()) divergent_blocks_.insert(b);
    SmallVector<BasicBlock*, 8> exits;
    loop->getExitBlocks(exits);
    for (BasicBlock* e : exits) joins_.insert(e); // LCSSA phis, even with one predecessor
  }
}

// The same value whenever and wherever it is computed: parameters, block indices and arithmetic on them.
bool Uniformity::is_invariant(const Value* value) {
  if (isa<Constant>(value)) return true;
  auto* inst = dyn_cast<Instruction>(value);
  if (!inst || isa<PHINode>(inst) || varying_.contains(inst)) return false;
  if (auto it = invariant_.find(inst); it != invariant_.end()) return it->second;
  invariant_[inst] = false;
  bool pure = !inst->mayReadOrWriteMemory();
  if (pure)
    for (Value* op : inst->operands()) pure &= isa<BasicBlock>(op) || isa<Function>(op) || is_invariant(op);
  invariant_[inst] = pure;
  return pure;
}

// Groups of lanes that stopped at one place at different times are joined when they go on; so only values that cannot
// differ between those times may stay scalars across the stop.
bool Uniformity::force_varying_across_stops() {
  split_ = client_.entered_in_parts();
  SmallVector<const Instruction*, 16> stops;
  for (BasicBlock& block : function_)
    for (Instruction& inst : block)
      if (client_.stops(inst)) {
        stops.push_back(&inst);
        if (client_.parts(inst, *this) || (client_.can_part(inst) && divergent_blocks_.contains(&block))) split_ = true;
      }
  if (!split_) return false;
  bool changed = false;
  Liveness liveness(function_);
  for (const Instruction* stop : stops)
    for (const BasicBlock* s : successors(stop->getParent())) {
      auto force = [&](Value* v) {
        auto* inst = dyn_cast<Instruction>(v);
        if (inst && !varying_.contains(inst) && !is_invariant(inst)) {
          varying_.insert(inst);
          changed = true;
        }
      };
      for (Instruction* v : liveness.live_in(s)) force(v);
      for (const PHINode& phi : s->phis()) force(const_cast<PHINode*>(&phi));
    }
  invariant_.clear();
  return changed;
}

} // namespace tollgate::analysis
