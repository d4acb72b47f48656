// A fence for the block, and one for the device on both sides: the second does it.
#include "../../check_case.h"

__global__ void pass(int* data, int* flag, int* out) {
  if (blockIdx.x == 0) {
    *data = 42;
    __threadfence_block();
    __threadfence();
    atomicExch(flag, 1);
  } else {
    while (*(volatile int*)flag == 0) {
    }
    __threadfence_block();
    __threadfence();
    *out = *data;
  }
}

int main() {
  pass<<<2, 1>>>(device_array<int>(1), device_array<int>(1), device_array<int>(1));
  return finish();
}
