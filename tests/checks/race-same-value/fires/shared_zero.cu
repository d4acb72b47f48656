// Every thread clears the whole array.
#include "../../check_case.h"

__global__ void clear(int* out) {
  __shared__ int bins[4];
  for (int i = 0; i < 4; ++i) bins[i] = 0; // other: race-same-value
  __syncthreads();
  if (threadIdx.x < 4) out[threadIdx.x] = bins[threadIdx.x];
}

int main() {
  clear<<<1, 64>>>(device_array<int>(4));
  return finish();
}
