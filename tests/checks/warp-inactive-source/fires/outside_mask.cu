// The upper half takes no part; the value is stored.
#include "../../check_case.h"

__global__ void kernel(int* data) {
  const int lane = threadIdx.x;
  if (lane < 16)
    data[lane] = __shfl_down_sync(0x0000ffffu, lane, 16); // expect: warp-inactive-source
}

int main() {
  kernel<<<1, 32>>>(device_array<int>(64));
  return finish();
}
