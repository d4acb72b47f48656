// One way into the engine for every launch call.
#pragma once

#include "cudart/modules.h"

namespace tollgate::cudart {

struct LaunchShape {
  dim3 grid, block, cluster;
  size_t dynamic_shared = 0;
  bool cooperative = false;
  // What a grid or block of impossible size gives: CUDA 13 says cudaErrorInvalidValue (measured), and CUDA 12, whose
  // programs launch through cudaLaunchKernel, said cudaErrorInvalidConfiguration.
  cudaError_t bad_size = cudaErrorInvalidValue;
  bool has_cluster = false; // the launch gave it
};

// Checks the configuration, packs the parameters and puts the launch into the stream. Does not wait.
cudaError_t launch(Runtime& runtime, CUkern_st* kernel, const LaunchShape& shape, void** args, cudaStream_t stream,
                   const void* caller);
// The cluster that this launch gets: its own, or the one that the kernel was compiled or set up with; 1 x 1 x 1 if
// none was given.
bool has_cluster(const LaunchShape& shape, const CUkern_st& kernel, const engine::KernelInfo& info);
dim3 cluster_of(const LaunchShape& shape, const CUkern_st& kernel, const engine::KernelInfo& info);
// Whether the kernel may have it, for a grid that fits.
bool cluster_allowed(const LaunchShape& shape, const CUkern_st& kernel, const engine::KernelInfo& info);
// The limit for cudaFuncAttributeMaxDynamicSharedMemorySize, and the one in force.
uint64_t dynamic_shared_limit(const CUkern_st& kernel);

} // namespace tollgate::cudart
