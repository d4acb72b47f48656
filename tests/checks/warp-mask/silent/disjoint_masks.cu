// Lanes 0-15 name themselves, lanes 16-31 do so as well.
#include "../../check_case.h"

__global__ void kernel(int* data) {
  const int lane = threadIdx.x;
  const unsigned mask = lane < 16 ? 0x0000ffffu : 0xffff0000u;
  data[lane] = __any_sync(mask, lane == 3);
}

int main() {
  kernel<<<1, 32>>>(device_array<int>(64));
  return finish();
}
