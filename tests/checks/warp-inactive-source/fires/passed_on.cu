// A second shuffle passes on what the first could not get.
#include "../../check_case.h"

__global__ void kernel(int* data) {
  const int lane = threadIdx.x;
  if (lane < 16) {
    int value = __shfl_down_sync(0x0000ffffu, lane, 8); // expect: warp-inactive-source
    value = __shfl_down_sync(0x0000ffffu, value, 12);
    if (lane == 2) data[lane] = value;
  }
}

int main() {
  kernel<<<1, 32>>>(device_array<int>(64));
  return finish();
}
