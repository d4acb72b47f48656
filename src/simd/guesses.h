// Plain loads whose value is only a guess for a compare-and-swap.
#pragma once

namespace llvm {
class Function;
}

namespace tollgate::simd {

// Marks (AccessDesc::compares) each plain load whose value goes to compare-and-swaps and to branches, and nowhere else:
// not to memory, an address, or another thread. What it guessed wrong, the compare-and-swap finds out.
void mark_guesses(llvm::Function& function);

} // namespace tollgate::simd
