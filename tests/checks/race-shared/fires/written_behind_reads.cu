// All warps read the whole table; one of them stores to it without waiting for the others.
// options: --as-built
#include "../../check_case.h"

__global__ void normalise(int* out) {
  __shared__ int table[64];
  if (threadIdx.x < 64) table[threadIdx.x] = threadIdx.x;
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < 64; ++i) sum += table[i]; // other: race-shared
  if (threadIdx.x < 32) table[threadIdx.x] = sum; // expect: race-shared
  __syncthreads();
  out[threadIdx.x] = table[threadIdx.x % 32];
}

int main() {
  normalise<<<1, 96>>>(device_array<int>(96));
  return finish();
}
