// All blocks wait for the last one; the device holds 128 of these.
#include "../../check_case.h"

__global__ void kernel(int* flag) {
  if (blockIdx.x == gridDim.x - 1)
    atomicExch(flag, 1); // other: needs-co-residency
  else if (threadIdx.x == 0)
    while (atomicAdd(flag, 0) == 0) {} // expect: needs-co-residency
}

int main() {
  kernel<<<200, 32>>>(device_array<int>(64));
  return finish();
}
