// How long work takes on the GPU, and the read that nothing can beat.
#pragma once
#include "must.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace bench {

// Milliseconds of work(), the median of `repeats`. One measurement longer than `enough` stands for all.
template <class F>
double milliseconds(F work, int repeats = 3, double enough = std::numeric_limits<double>::infinity()) {
  static cudaEvent_t start = nullptr, stop = nullptr;
  if (start == nullptr) {
    MUST(cudaEventCreate(&start));
    MUST(cudaEventCreate(&stop));
  }
  std::vector<float> times(repeats);
  for (float& time : times) {
    MUST(cudaEventRecord(start));
    work();
    MUST(cudaEventRecord(stop));
    MUST(cudaGetLastError());
    MUST(cudaEventSynchronize(stop));
    MUST(cudaEventElapsedTime(&time, start, stop));
    if (time > enough) return time;
  }
  std::sort(times.begin(), times.end());
  return times[repeats / 2];
}

// Reads all vectors and, but for one sum in 2^32, writes nothing.
static __global__ void read_only(const uint4* data, size_t vectors, unsigned* sink) {
  const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
  unsigned sum = 0;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < vectors; i += 4 * step) {
    uint4 v[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) v[k] = i + k * step < vectors ? __ldcs(data + i + k * step) : make_uint4(0, 0, 0, 0);
#pragma unroll
    for (int k = 0; k < 4; ++k) sum += v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
  }
  if (sum == 0x12345678) *sink = sum;
}

} // namespace bench
