// Whole blocks return; the others meet in full.
#include "../../check_case.h"

__global__ void kernel(int* out, int n) {
  __shared__ int tile[64];
  if (blockIdx.x >= n) return;
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
}

int main() {
  kernel<<<5, 64>>>(device_array<int>(3 * 64), 3);
  return finish();
}
