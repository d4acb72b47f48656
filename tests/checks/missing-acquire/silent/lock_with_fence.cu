// A spin lock with both fences.
#include "../../check_case.h"

__global__ void add(int* lock, int* sum) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  *sum += 1;
  __threadfence();
  atomicExch(lock, 0);
}

int main() {
  add<<<4, 32>>>(device_array<int>(1), device_array<int>(1));
  return finish();
}
