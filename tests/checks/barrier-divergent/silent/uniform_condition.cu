// Conditions that are the same for all threads of a block, though not for all blocks.
#include "../../check_case.h"

__global__ void kernel(int* out, int n) {
  __shared__ int tile[64];
  if (blockIdx.x < n) {
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
  }
  for (int i = 0; i < static_cast<int>(blockIdx.x); ++i) __syncthreads();
}

int main() {
  kernel<<<4, 64>>>(device_array<int>(4 * 64), 2);
  return finish();
}
