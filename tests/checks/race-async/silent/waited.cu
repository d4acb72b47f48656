// The wait, then the barrier.
#include "../../check_case.h"
#include <cuda_pipeline.h>

__global__ void copy(int* data, int* out) {
  __shared__ int tile[64];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t], &data[t], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[t] = tile[63 - t];
}

int main() {
  copy<<<1, 64>>>(device_array<int>(256), device_array<int>(256));
  return finish();
}
