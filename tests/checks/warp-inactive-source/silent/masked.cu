// An and with zeros, and a product with zero, throw the value away.
#include "../../check_case.h"

__global__ void kernel(int* data) {
  const int n = blockDim.x, lane = threadIdx.x;
  const int value = __shfl_down_sync(0xffffffffu, lane, 16);
  const int inside = lane + 16 < n;
  data[lane] = (value & -inside) + value * inside;
}

int main() {
  kernel<<<1, 20>>>(device_array<int>(64));
  return finish();
}
