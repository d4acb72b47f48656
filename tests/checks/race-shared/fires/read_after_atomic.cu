// The bins are read before all have counted.
#include "../../check_case.h"

__global__ void histogram(int* out) {
  __shared__ int bins[32];
  if (threadIdx.x < 32) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[threadIdx.x % 32], 1); // other: race-shared
  if (threadIdx.x < 32) out[threadIdx.x] = bins[threadIdx.x]; // other: race-shared
}

int main() {
  histogram<<<1, 128>>>(device_array<int>(32));
  return finish();
}
