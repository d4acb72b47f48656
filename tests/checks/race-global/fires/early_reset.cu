// The counter is put back by a block that did not wait for the others.
#include "../../check_case.h"

__device__ unsigned done = 0;

__global__ void count(int* out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 3) done = 0; // expect: race-global
  out[blockIdx.x] = int(atomicInc(&done, gridDim.x)); // other: race-global
}

int main() {
  count<<<8, 64>>>(device_array<int>(8));
  return finish();
}
