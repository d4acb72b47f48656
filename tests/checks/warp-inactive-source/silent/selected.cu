// A conditional expression takes zero where nobody gives a value.
#include "../../check_case.h"

__global__ void kernel(int* data) {
  const int n = blockDim.x, lane = threadIdx.x;
  int sum = lane;
  for (int offset = 1; offset < 32; offset *= 2) {
    const int value = __shfl_xor_sync(0xffffffffu, sum, offset);
    sum += (lane ^ offset) < n ? value : 0;
  }
  data[lane] = sum;
}

int main() {
  kernel<<<1, 20>>>(device_array<int>(64));
  return finish();
}
