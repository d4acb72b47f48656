// A wait that a clock ends.
#include "../../check_case.h"

__global__ void wait(volatile int* flag, int* out) {
  const long long start = clock64();
  while (*flag == 0 && clock64() - start < 3000000) {}
  out[threadIdx.x] = 1;
}

int main() {
  wait<<<1, 32>>>(device_array<int>(1), device_array<int>(32));
  return finish();
}
