// The barrier stands in a function that only some threads call.
#include "../../check_case.h"

__device__ __noinline__ int exchange(int* tile, int value) {
  tile[threadIdx.x] = value;
  __syncthreads(); // expect: barrier-divergent
  return tile[threadIdx.x ^ 2];
}

__global__ void kernel(int* out) {
  __shared__ int tile[64];
  if (threadIdx.x % 4 != 1) out[threadIdx.x] = exchange(tile, threadIdx.x);
}

int main() {
  kernel<<<1, 64>>>(device_array<int>(64));
  return finish();
}
