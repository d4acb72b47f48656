// Lanes that have left the kernel are named and do not count.
#include "../../check_case.h"

__global__ void kernel(int* data) {
  const int lane = threadIdx.x;
  if (lane >= 16) return;
  data[lane] = __shfl_xor_sync(0xffffffffu, lane, 1);
}

int main() {
  kernel<<<1, 32>>>(device_array<int>(64));
  return finish();
}
