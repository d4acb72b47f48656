// One way into the engine for every launch call.
#pragma once

#include "cudart/modules.h"

namespace tollgate::cudart {

struct LaunchShape {
  dim3 grid, block, cluster;
  size_t dynamic_shared = 0;
  bool cooperative = false;
};

// Checks the configuration, packs the parameters and puts the launch into the stream. Does not wait.
cudaError_t launch(Runtime& runtime, CUkern_st* kernel, const LaunchShape& shape, void** args, cudaStream_t stream,
                   const void* caller);
// The limit for cudaFuncAttributeMaxDynamicSharedMemorySize, and the one in force.
uint64_t dynamic_shared_limit(const CUkern_st& kernel);

} // namespace tollgate::cudart
