// The last block to come adds up what all have written; the fence behind the write is for the block only.
#include "../../check_case.h"

__device__ unsigned arrived;

__global__ void sum(int* part, int* total) {
  part[blockIdx.x] = blockIdx.x + 1;       // other: race-scope
  __threadfence_block();
  if (atomicAdd(&arrived, 1) == gridDim.x - 1) {
    __threadfence();
    int all = 0;
    for (unsigned i = 0; i < gridDim.x; ++i) all += part[i]; // expect: race-scope
    *total = all;
  }
}

int main() {
  sum<<<4, 1>>>(device_array<int>(4), device_array<int>(1));
  return finish();
}
