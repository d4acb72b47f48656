#pragma once

#include "lower/lane_builder.h"

namespace tollgate::lower {

// The upper half of the double-width product.
llvm::Value* multiply_high(LaneBuilder& lb, llvm::Value* a, llvm::Value* b, bool is_signed);

} // namespace tollgate::lower
