// Flag and data are volatile: no race, though without the reader's fence no order either.
#include "../../check_case.h"

__global__ void pass(volatile int* data, volatile int* flag, int* out) {
  if (blockIdx.x == 0) {
    *data = 42;
    __threadfence();
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
    *out = *data;
  }
}

int main() {
  pass<<<2, 1>>>(device_array<int>(1), device_array<int>(1), device_array<int>(1));
  return finish();
}
