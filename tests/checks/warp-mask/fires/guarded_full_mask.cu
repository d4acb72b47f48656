// Half of the warp makes the shuffle; its mask names the whole warp.
#include "../../check_case.h"

__global__ void kernel(int* data) {
  const int lane = threadIdx.x;
  if (lane < 16)
    data[lane] = __shfl_xor_sync(0xffffffffu, lane, 1); // expect: warp-mask
}

int main() {
  kernel<<<1, 32>>>(device_array<int>(64));
  return finish();
}
