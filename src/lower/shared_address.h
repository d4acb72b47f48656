// Addresses of shared memory in their three shapes: an offset in the block's own (.shared::cta), one in the window of
// its cluster (.shared::cluster: the lower half of the generic address, or an offset below kSharedWindow, which is the
// block's own), and generic. exec/address.h has the layout.
#pragma once

#include "lower/body.h"

namespace tollgate::lower {

// All take and give an i64.
llvm::Value* cluster_to_generic(BodyLowering& b, llvm::Value* address);
llvm::Value* generic_to_cluster(BodyLowering& b, llvm::Value* address);

// The generic address that an operand of this space names.
llvm::Value* generic_address(BodyLowering& b, const ptx::Operand& operand, ptx::Space space, bool cluster_space);

} // namespace tollgate::lower
