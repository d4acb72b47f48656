// The value decides a branch.
#include "../../check_case.h"

__global__ void kernel(int* data) {
  const int lane = threadIdx.x;
  if (lane < 16) {
    const int value = __shfl_sync(0x0000ffffu, lane, 31); // expect: warp-inactive-source
    if (value > 3) data[lane] = 1;
  }
}

int main() {
  kernel<<<1, 32>>>(device_array<int>(64));
  return finish();
}
