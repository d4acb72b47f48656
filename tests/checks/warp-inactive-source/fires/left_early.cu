// Lanes that have left the kernel are read.
#include "../../check_case.h"

__global__ void kernel(int* data) {
  const int lane = threadIdx.x;
  if (lane >= 20) return;
  const int value = __shfl_down_sync(0xffffffffu, lane, 8); // expect: warp-inactive-source
  if (lane + 8 < 24) data[lane] = value;
}

int main() {
  kernel<<<1, 32>>>(device_array<int>(64));
  return finish();
}
