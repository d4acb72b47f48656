// Half of the warp works apart and then meets the other half, which waits.
#include "../../check_case.h"

__global__ void kernel(int* data) {
  const int lane = threadIdx.x;
  int value = lane;
  if (lane >= 16) {
    value += __shfl_xor_sync(0xffff0000u, value, 1);
    __syncwarp(0xffff0000u);
  }
  __syncwarp();
  data[lane] = value;
}

int main() {
  kernel<<<1, 32>>>(device_array<int>(64));
  return finish();
}
