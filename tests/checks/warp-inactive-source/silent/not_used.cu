// Only lane 0 uses the result, and its sources exist.
#include "../../check_case.h"

__global__ void kernel(int* data) {
  const int lane = threadIdx.x % 32;
  int value = threadIdx.x;
  for (int offset = 8; offset > 0; offset /= 2)
    value += __shfl_down_sync(0xffffffffu, value, offset);
  if (lane == 0) data[threadIdx.x / 32] = value;
}

int main() {
  kernel<<<1, 48>>>(device_array<int>(64));
  return finish();
}
