#include "analysis/block_order.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/CFG.h>

#include <algorithm>

namespace tollgate::analysis {

using namespace llvm;

namespace {

class Orderer {
public:
  explicit Orderer(const LoopInfo& loops) : loops_(loops) {}

  // Emits the blocks of `loop` (null: of the function), starting at its header.
  void region(BasicBlock* header, const Loop* loop) {
    // Depth-first over items: a block directly in the loop, or a whole subloop named by its header.
    std::vector<BasicBlock*> post_order;
    DenseMap<BasicBlock*, bool> seen;
    std::vector<std::pair<BasicBlock*, unsigned>> stack;
    std::vector<std::vector<BasicBlock*>> successor_stack;
    auto enter = [&](BasicBlock* block) {
      if (seen.count(block)) return;
      seen[block] = true;
      stack.emplace_back(block, 0);
      successor_stack.push_back(item_successors(block, header, loop));
    };
    enter(header);
    while (!stack.empty()) {
      auto& [block, next] = stack.back();
      auto& successors = successor_stack.back();
      if (next < successors.size()) {
        enter(successors[next++]);
        continue;
      }
      post_order.push_back(block);
      stack.pop_back();
      successor_stack.pop_back();
    }
    for (BasicBlock* block : reverse(post_order)) {
      const Loop* inner = subloop(block, loop);
      if (inner)
        region(block, inner);
      else
        order.push_back(block);
    }
  }

  std::vector<BasicBlock*> order;

private:
  // The child loop of `loop` that contains the block, or null if the block is directly in `loop`.
  const Loop* subloop(BasicBlock* block, const Loop* loop) const {
    const Loop* inner = loops_.getLoopFor(block);
    if (inner == loop) return nullptr;
    while (inner && inner->getParentLoop() != loop) inner = inner->getParentLoop();
    return inner;
  }

  // Where control goes from an item, inside `loop` and not along its back-edges. Reversed so that the first
  // successor (the taken side, in source order) comes out first.
  std::vector<BasicBlock*> item_successors(BasicBlock* block, BasicBlock* header, const Loop* loop) const {
    std::vector<BasicBlock*> out;
    auto consider = [&](BasicBlock* s) {
      if (s == header || (loop && !loop->contains(s))) return;
      out.push_back(s);
    };
    if (const Loop* inner = subloop(block, loop)) {
      SmallVector<BasicBlock*, 8> exits;
      inner->getUniqueExitBlocks(exits);
      for (BasicBlock* s : exits) consider(s);
    } else {
      for (BasicBlock* s : successors(block)) consider(s);
    }
    std::reverse(out.begin(), out.end());
    return out;
  }

  const LoopInfo& loops_;
};

} // namespace

std::vector<BasicBlock*> block_order(Function& function, const LoopInfo& loops) {
  Orderer orderer(loops);
  orderer.region(&function.getEntryBlock(), nullptr);
  return std::move(orderer.order);
}

} // namespace tollgate::analysis
