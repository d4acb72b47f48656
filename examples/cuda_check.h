// Error checks for the examples: every CUDA call can fail, and a kernel's failure shows only at a later call.
#pragma once

#include <cstdio>
#include <cstdlib>

#define CUDA_CHECK(call)                                                                                               \
  do {                                                                                                                 \
    const cudaError_t error_ = (call);                                                                                 \
    if (error_ != cudaSuccess) {                                                                                       \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error_));                  \
      std::exit(1);                                                                                                    \
    }                                                                                                                  \
  } while (0)

// After a launch: was it accepted, and did it end well?
#define CUDA_CHECK_KERNEL()                                                                                            \
  do {                                                                                                                 \
    CUDA_CHECK(cudaGetLastError());                                                                                    \
    CUDA_CHECK(cudaDeviceSynchronize());                                                                               \
  } while (0)
