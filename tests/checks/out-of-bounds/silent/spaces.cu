// Shared, constant, local and module memory to their last byte.
#include "../../check_case.h"

__constant__ int table[33] = {1, 2, 3};
__device__ int global[65];

__global__ void kernel(int* out) {
  __shared__ int tile[65];
  extern __shared__ int dynamic[];
  int local[17];
  const int i = threadIdx.x;
  for (int k = 0; k < 17; ++k) local[k] = i * k;
  tile[i + 1] = table[i % 33] + local[i % 17];
  dynamic[i] = i;
  if (i == 0) tile[0] = 0;
  __syncthreads();
  global[i + 1] = tile[64 - i] + dynamic[63 - i];
  out[i] = global[i + 1];
}

int main() {
  kernel<<<1, 64, 64 * sizeof(int)>>>(device_array<int>(64));
  return finish();
}
