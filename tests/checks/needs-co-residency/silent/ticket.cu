// Blocks take their numbers from a counter as they start.
#include "../../check_case.h"

__global__ void kernel(int* flag) {
  __shared__ int number;
  if (threadIdx.x == 0) number = atomicAdd(flag + 1, 1);
  __syncthreads();
  if (number == 0)
    atomicExch(flag, 1);
  else if (threadIdx.x == 0)
    while (atomicAdd(flag, 0) == 0) {}
}

int main() {
  kernel<<<200, 32>>>(device_array<int>(64));
  return finish();
}
