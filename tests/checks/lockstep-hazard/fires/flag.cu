// options: --enable lockstep-hazard
// Lane 0 waits for lane 1, which waits for nobody.
#include "../../check_case.h"

__global__ void kernel(int* flag) {
  if (threadIdx.x == 0) {
    while (atomicAdd(flag, 0) == 0) {} // expect: lockstep-hazard
    __threadfence();
  }
  if (threadIdx.x == 1) {
    __threadfence();
    atomicExch(flag, 1); // other: lockstep-hazard
  }
}

int main() {
  kernel<<<1, 32>>>(device_array<int>(64));
  return finish();
}
