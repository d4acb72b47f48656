// options: --enable lockstep-hazard
// Lanes hand values on through a warp barrier.
#include "../../check_case.h"

__global__ void kernel(int* data) {
  data[threadIdx.x] = threadIdx.x;
  __syncwarp();
  data[32 + threadIdx.x] = data[31 - threadIdx.x];
}

int main() {
  kernel<<<1, 32>>>(device_array<int>(64));
  return finish();
}
