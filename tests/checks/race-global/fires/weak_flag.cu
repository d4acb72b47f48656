// A flag that is neither volatile nor atomic on the writing side.
#include "../../check_case.h"

__global__ void pass(int* flag, int* out) {
  if (blockIdx.x == 0) {
    __threadfence();
    *flag = 1;                           // other: race-global
  } else {
    while (*(volatile int*)flag == 0) {  // other: race-global
    }
    *out = 1;
  }
}

int main() {
  pass<<<2, 1>>>(device_array<int>(1), device_array<int>(1));
  return finish();
}
