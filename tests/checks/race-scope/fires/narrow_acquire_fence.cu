// A fence of block scope for data of another block.
#include "../../check_case.h"

__global__ void pass(int* data, int* flag, int* out) {
  if (blockIdx.x == 0) {
    *data = 42;                          // other: race-scope
    __threadfence();
    atomicExch(flag, 1);
  } else {
    while (*(volatile int*)flag == 0) {  // other: race-scope
    }
    __threadfence_block();
    *out = *data;                        // expect: race-scope
  }
}

int main() {
  pass<<<2, 1>>>(device_array<int>(1), device_array<int>(1), device_array<int>(1));
  return finish();
}
