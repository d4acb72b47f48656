// Without --enable the rule says nothing.
#include "../../check_case.h"

__global__ void kernel(int* lock) {
  while (atomicCAS(lock, 0, 1) != 0) {}
  __threadfence();
  lock[1] = lock[1] + 1;
  __threadfence();
  atomicExch(lock, 0);
}

int main() {
  kernel<<<1, 32>>>(device_array<int>(64));
  return finish();
}
