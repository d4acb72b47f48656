// options: --enable lockstep-hazard
// Every lane takes the lock in a loop and gives it back behind it.
#include "../../check_case.h"

__global__ void kernel(int* lock) {
  while (atomicCAS(lock, 0, 1) != 0) {} // expect: lockstep-hazard
  __threadfence();
  lock[1] = lock[1] + 1;
  __threadfence();
  atomicExch(lock, 0); // other: lockstep-hazard
}

int main() {
  kernel<<<1, 32>>>(device_array<int>(64));
  return finish();
}
