// A function that holds a barrier is called by all threads, from two places one after the other.
#include "../../check_case.h"

__device__ __noinline__ int rotate(int* tile, int value) {
  tile[threadIdx.x] = value;
  __syncthreads();
  const int result = tile[(threadIdx.x + 1) % 96];
  __syncthreads();
  return result;
}

__global__ void kernel(int* out) {
  __shared__ int tile[96];
  const int once = rotate(tile, threadIdx.x);
  out[threadIdx.x] = rotate(tile, once);
}

int main() {
  kernel<<<1, 96>>>(device_array<int>(96));
  return finish();
}
