// Shared memory has no other threads than those of the block.
#include "../../check_case.h"

__global__ void count(int* out) {
  __shared__ int counter;
  if (threadIdx.x == 0) counter = 0;
  __syncthreads();
  atomicAdd_block(&counter, 1);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = counter;
}

int main() {
  count<<<4, 64>>>(device_array<int>(4));
  return finish();
}
