// The guard lets whole warps pass or not: no warp diverges, yet the block does not meet.
#include "../../check_case.h"

__global__ void kernel(int* out) {
  __shared__ int tile[128];
  tile[threadIdx.x] = threadIdx.x;
  if (threadIdx.x / 32 != 3) {
    __syncthreads(); // expect: barrier-divergent
    out[threadIdx.x] = tile[threadIdx.x ^ 1];
  }
}

int main() {
  kernel<<<1, 128>>>(device_array<int>(128));
  return finish();
}
