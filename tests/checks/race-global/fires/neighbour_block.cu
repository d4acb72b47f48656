// A block reads what its neighbour writes in the same kernel.
#include "../../check_case.h"

__global__ void stencil(int* data) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int left = i > 0 ? data[i - 1] : 0; // other: race-global
  __syncthreads();
  data[i] = left + 1;                    // other: race-global
}

int main() {
  stencil<<<4, 32>>>(device_array<int>(128));
  return finish();
}
