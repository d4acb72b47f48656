// Bins in shared memory, counted without atomics.
#include "../../check_case.h"

__global__ void histogram(int* out) {
  __shared__ int bins[8];
  if (threadIdx.x < 8) bins[threadIdx.x] = 0;
  __syncthreads();
  bins[threadIdx.x % 8]++;               // other: race-shared
  __syncthreads();
  if (threadIdx.x < 8) out[threadIdx.x] = bins[threadIdx.x];
}

int main() {
  histogram<<<1, 64>>>(device_array<int>(8));
  return finish();
}
