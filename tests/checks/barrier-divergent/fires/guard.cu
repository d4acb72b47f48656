// Part of a warp is kept from the barrier by a guard.
#include "../../check_case.h"

__global__ void kernel(int* out, int n) {
  __shared__ int tile[256];
  if (threadIdx.x < n) {
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads(); // expect: barrier-divergent
    out[threadIdx.x] = tile[n - 1 - threadIdx.x];
  }
}

int main() {
  kernel<<<1, 256>>>(device_array<int>(256), 100);
  return finish();
}
