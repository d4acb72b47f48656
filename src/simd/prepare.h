// Brings scalar lane code into the shape that the widener reads: SSA form cleaned by LLVM's own scalar passes, memory
// that could not be promoted turned into lane-language accesses, reducible loops with one latch, LCSSA, and every stop
// alone at the end of its block.
#pragma once

#include <llvm/IR/Function.h>

#include <cstdint>

namespace tollgate::simd {

struct PrepareResult {
  uint64_t local_bytes = 0; // local memory of one lane that this function needs
};

PrepareResult prepare(llvm::Function& function);

// A point where lanes may leave the step function and come back: barrier, warp_sync, yield, call.
bool is_stop(const llvm::Instruction& inst);

} // namespace tollgate::simd
