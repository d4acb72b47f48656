// options: --arch sm_80
// Shared memory limits the number of blocks: three on a multiprocessor.
#include "../../check_case.h"

__global__ void kernel(int* flag) {
  __shared__ int tile[12000];
  tile[threadIdx.x] = 0;
  if (blockIdx.x == gridDim.x - 1)
    atomicExch(flag, 1);
  else if (threadIdx.x == 0)
    while (atomicAdd(flag, 0) == 0) {} // expect: needs-co-residency
}

int main() {
  kernel<<<13, 32>>>(device_array<int>(64));
  return finish();
}
