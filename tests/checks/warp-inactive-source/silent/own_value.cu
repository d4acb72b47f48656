// Out of range, a lane gets its own value.
#include "../../check_case.h"

__global__ void kernel(int* data) {
  const int lane = threadIdx.x;
  int value = lane;
  value += __shfl_down_sync(0xffffffffu, value, 16);
  value += __shfl_up_sync(0xffffffffu, value, 3);
  value += __shfl_down_sync(0xffffffffu, value, 4, 8);
  data[lane] = value;
}

int main() {
  kernel<<<1, 32>>>(device_array<int>(64));
  return finish();
}
