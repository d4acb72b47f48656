// One side is atomic, the other is not.
#include "../../check_case.h"

__global__ void count(int* counter, int* out) {
  atomicAdd(counter, 1);                 // other: race-global
  if (threadIdx.x == 0) out[blockIdx.x] = *counter; // other: race-global
}

int main() {
  count<<<2, 64>>>(device_array<int>(1), device_array<int>(2));
  return finish();
}
