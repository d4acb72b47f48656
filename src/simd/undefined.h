// For the rule uninitialized: follows what was loaded and never written.
//
// Memory carries, bit by bit, whether it was written (exec/written.h). A load brings the missing bits with it, and what
// only moves bits passes them on exactly: copies, selects, phis, shifts, `and`, `or`, shuffles, stores. Arithmetic
// makes of them a taint of the whole value: the site of the load. The taint is told where it decides a branch, or comes
// to an address, a store or an atomic, and is dropped where a select or an `and` with zero drops the value: compilers
// compute ahead what they then do not use. Constants, parameters and what comes from neither has no shadow at all.
#pragma once

#include <llvm/IR/Function.h>

namespace tollgate::simd {

// Instruments a prepared scalar function.
void trace_undefined(llvm::Function& function);

} // namespace tollgate::simd
