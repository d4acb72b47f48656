// float has no atomic instruction in shared memory.
#include "../../check_case.h"

__global__ void kernel(float* data) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = float{};
  __syncthreads();
  atomicAdd(&sum, float(1)); // expect: atomic-cas-loop
  __syncthreads();
  data[threadIdx.x] = sum;
}

int main() {
  kernel<<<1, 32>>>(device_array<float>(64));
  return finish();
}
