// Data and flag, with both fences; the rest of the block learns through a barrier.
#include "../../check_case.h"

__global__ void pass(int* data, volatile int* flag, int* out) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      *flag = 1;
    }
  } else {
    if (threadIdx.x == 0) {
      while (*flag == 0) {
      }
      __threadfence();
    }
    __syncthreads();
    out[threadIdx.x] = data[63 - threadIdx.x];
  }
}

int main() {
  pass<<<2, 64>>>(device_array<int>(64), device_array<int>(1), device_array<int>(64));
  return finish();
}
