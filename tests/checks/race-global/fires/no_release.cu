// The flag is set before the data need be there: the fence of the writer is missing.
#include "../../check_case.h"

__global__ void pass(int* data, volatile int* flag, int* out) {
  if (blockIdx.x == 0) {
    *data = 42;                          // other: race-global
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
    __threadfence();
    *out = *data;                        // other: race-global
  }
}

int main() {
  pass<<<2, 1>>>(device_array<int>(1), device_array<int>(1), device_array<int>(1));
  return finish();
}
