// The first blocks wait for the last of many.
#include "../../check_case.h"

__device__ int flag;

__global__ void wait_for_last(int* out) {
  if (threadIdx.x == 0) {
    if (blockIdx.x == gridDim.x - 1) {
      __threadfence();
      atomicExch(&flag, 1);
    } else {
      while (atomicAdd(&flag, 0) == 0) {} // expect: needs-co-residency
      __threadfence();
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = 1;
}

int main() {
  wait_for_last<<<300, 64>>>(device_array<int>(300));
  return finish();
}
