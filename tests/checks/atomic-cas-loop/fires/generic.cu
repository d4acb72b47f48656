// The function does not know that its pointer leads to shared memory; the device finds out.
#include "../../check_case.h"

__device__ __noinline__ void add(float* sum) {
  atomicAdd(sum, 1.0f); // expect: atomic-cas-loop
}

__global__ void kernel(float* data) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  add(&sum);
  add(data);
}

int main() {
  kernel<<<1, 32>>>(device_array<float>(64));
  return finish();
}
