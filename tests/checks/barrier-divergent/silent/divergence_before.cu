// The threads part, meet again, and only then reach the barrier; they do so in a partial warp, too.
#include "../../check_case.h"

__device__ __noinline__ int steps(int n) {
  int count = 0;
  while (n != 1) {
    n = n % 2 ? 3 * n + 1 : n / 2;
    ++count;
  }
  return count;
}

__global__ void kernel(int* out) {
  __shared__ int tile[77];
  tile[threadIdx.x] = steps(threadIdx.x + 1);
  __syncthreads();
  out[blockIdx.x * 77 + threadIdx.x] = tile[76 - threadIdx.x];
}

int main() {
  kernel<<<2, 77>>>(device_array<int>(154));
  return finish();
}
