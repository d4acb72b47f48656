// Cytron et al., "Efficiently computing static single assignment form and the control dependence graph" (1991): phis
// go to the iterated dominance frontiers of the stores. The frontiers are made once, for all slots; where a slot lives
// is found for all slots at a time, as sets of bits.
#include "jit/promote_slots.h"

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace tollgate::jit {

using namespace llvm;

namespace {

class Promotion {
public:
  explicit Promotion(Function& function) : function_(function) {}

  void run() {
    const std::vector<AllocaInst*> all = find_slots();
    if (all.empty()) return;
    EliminateUnreachableBlocks(function_);
    tree_.recalculate(function_);
    for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&function_)) {
      number_[block] = unsigned(blocks_.size());
      blocks_.push_back(block);
    }
    find_frontiers();
    for (size_t first = 0; first < all.size(); first += kAtATime)
      promote({all.begin() + first, all.begin() + std::min(first + kAtATime, all.size())});
  }

private:
  static constexpr unsigned kNone = ~0U;
  static constexpr size_t kAtATime = 4096; // a bit for each and each block: so many blocks, so much memory

  void promote(std::vector<AllocaInst*> slots) {
    slots_ = std::move(slots);
    slot_of_.clear();
    for (unsigned i = 0; i < slots_.size(); ++i) slot_of_[slots_[i]] = i;
    look_at_accesses();
    find_where_they_live();
    insert_phis();
    rename();
    for (AllocaInst* slot : slots_) slot->eraseFromParent();
  }

  // --- slots and their accesses -------------------------------------------------------------------------------------
  std::vector<AllocaInst*> find_slots() const {
    std::vector<AllocaInst*> out;
    for (Instruction& inst : function_.getEntryBlock())
      if (auto* slot = dyn_cast<AllocaInst>(&inst); slot && isAllocaPromotable(slot) && is_plain(*slot))
        out.push_back(slot);
    return out;
  }
  static bool is_plain(const AllocaInst& slot) {
    return all_of(slot.users(), [](const User* user) { return isa<LoadInst, StoreInst>(user); });
  }
  unsigned slot_of(const Value* pointer) const {
    auto it = slot_of_.find(pointer);
    return it == slot_of_.end() ? kNone : it->second;
  }
  unsigned loaded(const Instruction& inst) const {
    auto* load = dyn_cast<LoadInst>(&inst);
    return load ? slot_of(load->getPointerOperand()) : kNone;
  }
  unsigned stored(const Instruction& inst) const {
    auto* store = dyn_cast<StoreInst>(&inst);
    return store ? slot_of(store->getPointerOperand()) : kNone;
  }

  void look_at_accesses() {
    defined_.assign(blocks_.size(), BitVector(unsigned(slots_.size())));
    live_in_ = defined_;
    stores_.assign(slots_.size(), {});
    for (unsigned b = 0; b < blocks_.size(); ++b)
      for (const Instruction& inst : *blocks_[b]) {
        if (const unsigned slot = loaded(inst); slot != kNone && !defined_[b].test(slot)) live_in_[b].set(slot);
        if (const unsigned slot = stored(inst); slot != kNone && !defined_[b].test(slot)) {
          defined_[b].set(slot);
          stores_[slot].push_back(b);
        }
      }
  }

  void find_where_they_live() {
    BitVector live(unsigned(slots_.size()));
    for (bool changed = true; changed;) {
      changed = false;
      for (unsigned b = unsigned(blocks_.size()); b-- > 0;) {
        live.reset();
        for (BasicBlock* next : successors(blocks_[b])) live |= live_in_[number_.at(next)];
        live.reset(defined_[b]);
        live |= live_in_[b];
        if (live == live_in_[b]) continue;
        live_in_[b] = live;
        changed = true;
      }
    }
  }

  // --- phis ---------------------------------------------------------------------------------------------------------
  // Cooper, Harvey, Kennedy, "A simple, fast dominance algorithm" (2001), figure 5.
  void find_frontiers() {
    frontier_.resize(blocks_.size());
    for (unsigned b = 0; b < blocks_.size(); ++b) {
      if (pred_size(blocks_[b]) < 2) continue;
      const DomTreeNode* above = tree_.getNode(blocks_[b])->getIDom();
      for (BasicBlock* from : predecessors(blocks_[b]))
        for (const DomTreeNode* at = tree_.getNode(from); at != above; at = at->getIDom()) {
          auto& frontier = frontier_[number_.at(at->getBlock())];
          if (frontier.empty() || frontier.back() != b) frontier.push_back(b);
        }
    }
  }

  void insert_phis() {
    phis_.assign(blocks_.size(), {});
    std::vector<unsigned> seen(blocks_.size(), kNone), work;
    for (unsigned slot = 0; slot < slots_.size(); ++slot) {
      work = stores_[slot];
      while (!work.empty()) {
        const unsigned b = work.back();
        work.pop_back();
        for (const unsigned join : frontier_[b]) {
          if (seen[join] == slot || !live_in_[join].test(slot)) continue;
          seen[join] = slot;
          BasicBlock* block = blocks_[join];
          auto* phi = PHINode::Create(slots_[slot]->getAllocatedType(), unsigned(pred_size(block)), "", block->begin());
          phis_[join].emplace_back(slot, phi);
          work.push_back(join);
        }
      }
    }
  }

  // --- values -------------------------------------------------------------------------------------------------------
  void set(unsigned slot, Value* value) { undo_.emplace_back(slot, std::exchange(now_[slot], value)); }

  void visit(BasicBlock& block) {
    const unsigned b = number_.at(&block);
    for (const auto& [slot, phi] : phis_[b]) set(slot, phi);
    for (Instruction& inst : make_early_inc_range(block)) {
      if (const unsigned slot = loaded(inst); slot != kNone) {
        inst.replaceAllUsesWith(now_[slot]);
        inst.eraseFromParent();
      } else if (const unsigned target = stored(inst); target != kNone) {
        set(target, cast<StoreInst>(inst).getValueOperand());
        inst.eraseFromParent();
      }
    }
    for (BasicBlock* next : successors(&block)) // once for each edge, as phis want it
      for (const auto& [slot, phi] : phis_[number_.at(next)]) phi->addIncoming(now_[slot], &block);
  }

  // Along the tree of dominators, without recursion: it is as deep as the function is long.
  void rename() {
    now_.clear();
    undo_.clear();
    for (AllocaInst* slot : slots_) now_.push_back(UndefValue::get(slot->getAllocatedType()));
    struct Step {
      const DomTreeNode* node;
      DomTreeNode::const_iterator child;
      size_t undo;
    };
    std::vector<Step> path;
    auto enter = [&](const DomTreeNode* node) {
      path.push_back({node, node->begin(), undo_.size()});
      visit(*node->getBlock());
    };
    enter(tree_.getRootNode());
    while (!path.empty()) {
      Step& step = path.back();
      if (step.child != step.node->end()) {
        enter(*step.child++);
        continue;
      }
      for (; undo_.size() > step.undo; undo_.pop_back()) now_[undo_.back().first] = undo_.back().second;
      path.pop_back();
    }
  }

  Function& function_;
  DominatorTree tree_;
  std::vector<AllocaInst*> slots_; // those at hand
  DenseMap<const Value*, unsigned> slot_of_;
  std::vector<BasicBlock*> blocks_; // in reverse post-order
  DenseMap<const BasicBlock*, unsigned> number_;
  std::vector<BitVector> defined_, live_in_;                     // by block: slots
  std::vector<std::vector<unsigned>> stores_;                    // by slot: blocks
  std::vector<SmallVector<unsigned, 2>> frontier_;               // by block
  std::vector<std::vector<std::pair<unsigned, PHINode*>>> phis_; // by block
  std::vector<Value*> now_;                                      // by slot, where `rename` stands
  std::vector<std::pair<unsigned, Value*>> undo_;
};

} // namespace

void promote_slots(Function& function) { Promotion(function).run(); }

} // namespace tollgate::jit
