// options: --enable lockstep-hazard
// Two critical sections, one after the other, each within one trip.
#include "../../check_case.h"

__device__ void add(int* lock) {
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

__global__ void kernel(int* lock) {
  add(lock);
  add(lock);
}

int main() {
  kernel<<<4, 64>>>(device_array<int>(64));
  return finish();
}
