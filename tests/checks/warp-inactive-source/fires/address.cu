// The value is an index.
#include "../../check_case.h"

__global__ void kernel(int* data) {
  const int lane = threadIdx.x;
  if (lane < 16) {
    const int index = __shfl_xor_sync(0x0000ffffu, lane, 16); // expect: warp-inactive-source
    data[index & 31] = 1;
  }
}

int main() {
  kernel<<<1, 32>>>(device_array<int>(64));
  return finish();
}
