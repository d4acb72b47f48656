// Two of three warps meet at a barrier of their own.
#include "../../check_case.h"

__global__ void kernel(int* out) {
  __shared__ int tile[64];
  if (threadIdx.x < 64) {
    tile[threadIdx.x] = threadIdx.x;
    SYNC(3, 64);
    out[threadIdx.x] = tile[63 - threadIdx.x];
  }
}

int main() {
  kernel<<<1, 96>>>(device_array<int>(96));
  return finish();
}
