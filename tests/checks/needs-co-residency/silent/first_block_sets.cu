// All blocks wait for the first.
#include "../../check_case.h"

__global__ void kernel(int* flag) {
  if (blockIdx.x == 0)
    atomicExch(flag, 1);
  else if (threadIdx.x == 0)
    while (atomicAdd(flag, 0) == 0) {}
}

int main() {
  kernel<<<200, 32>>>(device_array<int>(64));
  return finish();
}
