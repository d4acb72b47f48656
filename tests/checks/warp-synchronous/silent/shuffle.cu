// Values pass through registers.
#include "../../check_case.h"

__global__ void sum(int* out) {
  int value = threadIdx.x;
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffff, value, step);
  if (threadIdx.x == 0) *out = value;
}

int main() {
  sum<<<1, 32>>>(device_array<int>(1));
  return finish();
}
