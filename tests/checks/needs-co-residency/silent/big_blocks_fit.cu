// Eight blocks of 1,024 threads fit.
#include "../../check_case.h"

__global__ void kernel(int* flag) {
  if (blockIdx.x == gridDim.x - 1)
    atomicExch(flag, 1);
  else if (threadIdx.x == 0)
    while (atomicAdd(flag, 0) == 0) {}
}

int main() {
  kernel<<<8, 1024>>>(device_array<int>(64));
  return finish();
}
