// Linear order of the blocks of a reducible function: topological but for back-edges, loops contiguous, the latch of
// each loop last in it. Running "the lowest block that has lanes" in this order keeps the lanes of a warp together:
// all lanes inside a loop do one iteration together, and lanes that left it wait behind it.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>

#include <vector>

namespace tollgate::analysis {

// Requires LoopSimplify form (one latch a loop) and no unreachable blocks.
std::vector<llvm::BasicBlock*> block_order(llvm::Function& function, const llvm::LoopInfo& loops);

} // namespace tollgate::analysis
