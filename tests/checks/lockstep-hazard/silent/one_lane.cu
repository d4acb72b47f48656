// options: --enable lockstep-hazard
// One lane acts for its warp.
#include "../../check_case.h"

__global__ void kernel(int* lock) {
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    lock[1] = lock[1] + 1;
    __threadfence();
    atomicExch(lock, 0);
  }
}

int main() {
  kernel<<<4, 64>>>(device_array<int>(64));
  return finish();
}
