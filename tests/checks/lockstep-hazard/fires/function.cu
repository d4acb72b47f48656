// options: --enable lockstep-hazard
// The lock in functions.
#include "../../check_case.h"

__device__ void take(int* lock) {
  while (atomicCAS(lock, 0, 1) != 0) {} // expect: lockstep-hazard
  __threadfence();
}

__device__ void give(int* lock) {
  __threadfence();
  atomicExch(lock, 0); // other: lockstep-hazard
}

__global__ void kernel(int* lock) {
  take(lock);
  lock[1] = lock[1] + 1;
  give(lock);
}

int main() {
  kernel<<<1, 32>>>(device_array<int>(64));
  return finish();
}
