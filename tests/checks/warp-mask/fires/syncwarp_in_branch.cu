// The lanes that go past the branch wait at the barrier of the block.
#include "../../check_case.h"

__global__ void kernel(int* data) {
  const int lane = threadIdx.x;
  if (lane % 2 == 0) {
    data[lane] = 1;
    __syncwarp(); // expect: warp-mask
  }
  __syncthreads(); // other: warp-mask
  data[32 + lane] = 2;
}

int main() {
  kernel<<<1, 32>>>(device_array<int>(64));
  return finish();
}
