// The last block is found with a counter of device scope.
#include "../../check_case.h"

__global__ void last(unsigned* done, int* out) {
  if (threadIdx.x != 0) return;
  __threadfence();
  if (atomicInc(done, gridDim.x) == gridDim.x - 1) *out = 1;
}

int main() {
  last<<<4, 32>>>(device_array<unsigned>(1), device_array<int>(1));
  return finish();
}
