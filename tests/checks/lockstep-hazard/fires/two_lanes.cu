// options: --enable lockstep-hazard
// Two lanes of each warp compete.
#include "../../check_case.h"

__global__ void kernel(int* lock) {
  if (threadIdx.x % 16 == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {} // expect: lockstep-hazard
    __threadfence();
    lock[1] = lock[1] + 1;
    __threadfence();
    atomicExch(lock, 0); // other: lockstep-hazard
  }
}

int main() {
  kernel<<<2, 64>>>(device_array<int>(64));
  return finish();
}
