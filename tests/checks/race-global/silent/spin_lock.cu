// A lock with fences on both sides.
#include "../../check_case.h"

__global__ void kernel(int* lock, int* count) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      *count = *count + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

int main() {
  kernel<<<3, 64>>>(device_array<int>(1), device_array<int>(1));
  return finish();
}
