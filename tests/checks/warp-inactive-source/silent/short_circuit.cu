// The second half of the condition is not evaluated where the value is undefined.
#include "../../check_case.h"

__global__ void kernel(int* data) {
  const int n = blockDim.x, lane = threadIdx.x;
  const int value = __shfl_down_sync(0xffffffffu, lane, 1);
  if (lane + 1 < n && value > 3) data[lane] = 1;
}

int main() {
  kernel<<<1, 20>>>(device_array<int>(64));
  return finish();
}
