// Lanes 0-15 name themselves, lanes 16-31 name all.
#include "../../check_case.h"

__global__ void kernel(int* data) {
  const int lane = threadIdx.x;
  const unsigned mask = lane < 16 ? 0x0000ffffu : 0xffffffffu;
  data[lane] = __any_sync(mask, lane == 3); // expect: warp-mask
}

int main() {
  kernel<<<1, 32>>>(device_array<int>(64));
  return finish();
}
