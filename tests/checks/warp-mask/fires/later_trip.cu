// The loop ends earlier for some lanes than for others.
#include "../../check_case.h"

__global__ void kernel(int* data) {
  const int lane = threadIdx.x;
  int value = lane;
  for (int i = 0; i <= lane / 16; ++i)
    value += __shfl_xor_sync(0xffffffffu, value, 1); // expect: warp-mask
  data[lane] = value;
}

int main() {
  kernel<<<1, 32>>>(device_array<int>(64));
  return finish();
}
