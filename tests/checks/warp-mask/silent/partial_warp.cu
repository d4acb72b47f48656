// The last warp has 16 lanes; the mask names 32.
#include "../../check_case.h"

__global__ void kernel(int* data) {
  const int lane = threadIdx.x;
  int value = lane;
  value += __shfl_xor_sync(0xffffffffu, value, 1);
  __syncwarp();
  data[lane] = value;
}

int main() {
  kernel<<<1, 48>>>(device_array<int>(64));
  return finish();
}
