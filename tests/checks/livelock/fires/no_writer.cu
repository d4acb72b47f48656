// Nobody sets the flag.
#include "../../check_case.h"

__global__ void wait(volatile int* flag, int* out) {
  while (*flag == 0) {} // expect: livelock
  out[threadIdx.x] = 1;
}

int main() {
  wait<<<4, 64>>>(device_array<int>(1), device_array<int>(64));
  return finish();
}
