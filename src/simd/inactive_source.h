// For the rule warp-inactive-source: follows what shuffles took from lanes that had no part in them.
//
// Beside every value that depends on a shuffle runs an i32: 0, or the site of the shuffle that made it undefined for
// this lane. Arithmetic joins, selects and phis choose, an `and` with zeros and a product with zero make it defined
// again. Where such a value decides a branch or comes to an address, a store or an atomic, a hook tells the observers.
// What goes through memory or a call that is not inlined is lost, so it is never reported wrongly.
#pragma once

#include <llvm/IR/Function.h>

namespace tollgate::simd {

// Instruments a prepared scalar function; does nothing to one without shuffles.
void trace_inactive_sources(llvm::Function& function);

} // namespace tollgate::simd
