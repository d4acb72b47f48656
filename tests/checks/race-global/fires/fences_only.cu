// Fences alone order nothing between threads.
#include "../../check_case.h"

__global__ void pass(int* data, int* out) {
  if (blockIdx.x == 0 && threadIdx.x == 0) *data = 42;      // other: race-global
  __threadfence();
  if (blockIdx.x == 1) out[threadIdx.x] = *data;     // other: race-global
}

int main() {
  pass<<<2, 32>>>(device_array<int>(1), device_array<int>(64));
  return finish();
}
