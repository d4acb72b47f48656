// Two stages: the last one is never waited for.
#include "../../check_case.h"
#include <cuda_pipeline.h>

__global__ void copy(int* data, int* out) {
  __shared__ int tile[128];
  const int t = threadIdx.x;
  int sum = 0;
  __pipeline_memcpy_async(&tile[t], &data[t], 4);
  __pipeline_commit();
  for (int i = 0; i < 3; ++i) {
    if (i < 2) __pipeline_memcpy_async(&tile[64 * ((i + 1) % 2) + t], &data[64 * (i + 1) + t], 4); // other: race-async
    if (i < 2) __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += tile[64 * (i % 2) + 63 - t];  // other: race-async
    __syncthreads();
  }
  out[t] = sum;
}

int main() {
  copy<<<1, 64>>>(device_array<int>(256), device_array<int>(256));
  return finish();
}
