// The flag is all that is passed.
#include "../../check_case.h"

__global__ void pass(volatile int* flag, int* out) {
  if (blockIdx.x == 0) {
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
    *out = 1;
  }
}

int main() {
  pass<<<2, 1>>>(device_array<int>(1), device_array<int>(1));
  return finish();
}
