// Loops that wait for other threads by plain loads.
#pragma once

#include <llvm/Analysis/LoopInfo.h>

namespace tollgate::simd {

// A loop that writes nothing and meets nobody, and leaves when a value read from memory says so: only another thread
// can end it. Marks those loads (AccessDesc::polls), which an optimiser may take out of the loop. True if there are
// any.
bool mark_polled_loads(llvm::Loop& loop);

} // namespace tollgate::simd
