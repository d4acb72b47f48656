// Two halves in shared memory.
#include "../../check_case.h"

#include <cuda_fp16.h>

__global__ void kernel(half2* data) {
  __shared__ half2 sum;
  if (threadIdx.x == 0) sum = half2{};
  __syncthreads();
  atomicAdd(&sum, half2(half(1.0f), half(1.0f))); // expect: atomic-cas-loop
  __syncthreads();
  data[threadIdx.x] = sum;
}

int main() {
  kernel<<<1, 32>>>(device_array<half2>(64));
  return finish();
}
