// options: --enable lockstep-hazard
// Taken and given back within one trip of the loop.
#include "../../check_case.h"

__global__ void kernel(int* lock) {
  for (bool done = false; !done;) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      lock[1] = lock[1] + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

int main() {
  kernel<<<4, 64>>>(device_array<int>(64));
  return finish();
}
