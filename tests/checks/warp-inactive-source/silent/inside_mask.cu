// The lower half reads from itself.
#include "../../check_case.h"

__global__ void kernel(int* data) {
  const int lane = threadIdx.x;
  if (lane < 16)
    data[lane] = __shfl_down_sync(0x0000ffffu, lane, 8, 16);
}

int main() {
  kernel<<<1, 32>>>(device_array<int>(64));
  return finish();
}
