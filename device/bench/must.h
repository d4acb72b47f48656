// CUDA calls that a benchmark cannot do without: MUST(call) ends the program with the call's text where it fails.
#pragma once

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

namespace bench {

inline void must(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, cudaGetErrorString(error));
  std::exit(1);
}

} // namespace bench

#define MUST(call) bench::must(call, #call)
