// Values out of their stack slots, as LLVM's own pass does it, for functions with thousands of slots and blocks: that
// pass walks, for each slot, all blocks behind each store of it, and took more time than all other passes together.
#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace tollgate::jit {

// Slots of the entry block that are only loaded and stored as a whole become values; blocks that nothing reaches go.
void promote_slots(llvm::Function& function);

} // namespace tollgate::jit
