// options: --enable lockstep-hazard
// A ticket lock in one warp.
#include "../../check_case.h"

__global__ void kernel(int* lock) {
  const int ticket = atomicAdd(lock, 1);
  while (atomicAdd(lock + 1, 0) != ticket) {} // expect: lockstep-hazard
  __threadfence();
  lock[2] = lock[2] + 1;
  __threadfence();
  atomicAdd(lock + 1, 1); // other: lockstep-hazard
}

int main() {
  kernel<<<1, 32>>>(device_array<int>(64));
  return finish();
}
