// The value is used only where its lane exists.
#include "../../check_case.h"

__global__ void kernel(int* data) {
  const int n = blockDim.x, lane = threadIdx.x;
  int sum = lane;
  for (int offset = 16; offset > 0; offset /= 2) {
    const int value = __shfl_down_sync(0xffffffffu, sum, offset);
    if (lane + offset < n) sum += value;
  }
  data[lane] = sum;
}

int main() {
  kernel<<<1, 20>>>(device_array<int>(64));
  return finish();
}
