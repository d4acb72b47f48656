// Two arrays carved out of dynamic shared memory, and atomics on one of them.
#include "../../check_case.h"

__global__ void carve(int* out) {
  extern __shared__ int memory[];
  int* counts = memory;
  int* values = memory + 8;
  if (threadIdx.x < 8) counts[threadIdx.x] = 0;
  values[threadIdx.x] = threadIdx.x;
  __syncthreads();
  atomicAdd(&counts[values[127 - threadIdx.x] % 8], 1);
  __syncthreads();
  if (threadIdx.x < 8) out[threadIdx.x] = counts[threadIdx.x];
}

int main() {
  carve<<<1, 128, (8 + 128) * sizeof(int)>>>(device_array<int>(8));
  return finish();
}
