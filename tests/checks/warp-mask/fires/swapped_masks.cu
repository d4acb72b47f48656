// Each half gives the mask of the other.
#include "../../check_case.h"

__global__ void kernel(int* data) {
  const int lane = threadIdx.x;
  const unsigned mask = lane < 16 ? 0xffff0000u : 0x0000ffffu;
  __syncwarp(mask); // expect: warp-mask
  data[lane] = lane;
}

int main() {
  kernel<<<1, 32>>>(device_array<int>(64));
  return finish();
}
