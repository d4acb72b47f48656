#include "analysis/liveness.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>

namespace tollgate::analysis {

using namespace llvm;

Liveness::Liveness(Function& function) {
  DenseMap<const Value*, unsigned> index;
  for (BasicBlock& block : function)
    for (Instruction& inst : block) {
      // Only values used in another block, or by a phi, can be alive at a block's start.
      bool crosses = any_of(inst.users(), [&](User* u) {
        auto* user = cast<Instruction>(u);
        return user->getParent() != &block || isa<PHINode>(user);
      });
      if (!crosses) continue;
      index[&inst] = unsigned(values_.size());
      values_.push_back(&inst);
    }
  auto n = unsigned(values_.size());
  DenseMap<const BasicBlock*, BitVector> use, def;
  for (BasicBlock& block : function) {
    BitVector u(n), d(n);
    for (Instruction& inst : block) {
      if (!isa<PHINode>(inst))
        for (Value* op : inst.operands())
          if (auto it = index.find(op); it != index.end() && !d.test(it->second)) u.set(it->second);
      if (auto it = index.find(&inst); it != index.end()) d.set(it->second);
    }
    in_[&block] = u;
    use[&block] = std::move(u);
    def[&block] = std::move(d);
  }
  bool changed = true;
  while (changed) {
    changed = false;
    for (BasicBlock* block : post_order(&function)) {
      BitVector out(n);
      for (BasicBlock* s : successors(block)) {
        out |= in_[s];
        for (PHINode& phi : s->phis())
          if (auto it = index.find(phi.getIncomingValueForBlock(block)); it != index.end()) out.set(it->second);
      }
      out.reset(def[block]);
      out |= use[block];
      BitVector& in = in_[block];
      if (out != in) {
        in = std::move(out);
        changed = true;
      }
    }
  }
  // A phi is defined at its block's start, so it is in `def`; values that only feed phis of the block are not alive
  // at its start, as wanted.
}

std::vector<Instruction*> Liveness::live_in(const BasicBlock* block) const {
  std::vector<Instruction*> out;
  auto it = in_.find(block);
  if (it == in_.end()) return out;
  for (unsigned i : it->second.set_bits()) out.push_back(values_[i]);
  return out;
}

} // namespace tollgate::analysis
