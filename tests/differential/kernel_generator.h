// Random kernels, free of races and of undefined behaviour by construction, reproducible from a seed.
//
// How they stay defined: a thread writes only slots of its own in global, shared and local memory; other threads'
// shared slots are read only between two barriers that all threads pass; memory that threads share otherwise sees one
// commutative atomic operation per word. Warp operations carry a mask that was computed by a ballot of exactly the
// lanes that take part, and no result that stems from a lane outside the mask is used. NaNs are stored as zero.
#pragma once

#include "kernel_case.h"

namespace tollgate::differential {

KernelCase generate_kernel(uint64_t seed);

} // namespace tollgate::differential
