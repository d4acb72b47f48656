// options: --enable lockstep-hazard
// The lock is an exchange.
#include "../../check_case.h"

__global__ void kernel(int* lock) {
  while (atomicExch(lock, 1) != 0) {} // expect: lockstep-hazard
  __threadfence();
  lock[1] = lock[1] + 1;
  __threadfence();
  atomicExch(lock, 0); // other: lockstep-hazard
}

int main() {
  kernel<<<1, 32>>>(device_array<int>(64));
  return finish();
}
