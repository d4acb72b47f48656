// Nor has double.
#include "../../check_case.h"

__global__ void kernel(double* data) {
  __shared__ double sum;
  if (threadIdx.x == 0) sum = double{};
  __syncthreads();
  atomicAdd(&sum, double(1)); // expect: atomic-cas-loop
  __syncthreads();
  data[threadIdx.x] = sum;
}

int main() {
  kernel<<<1, 32>>>(device_array<double>(64));
  return finish();
}
