// The reduction in a function is called by half a warp.
#include "../../check_case.h"

__device__ int sum(int value) {
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, offset); // expect: warp-mask
  return value;
}

__global__ void kernel(int* data) {
  const int lane = threadIdx.x;
  int value = 0;
  if (lane % 2 == 0) value = sum(lane);
  __syncthreads(); // other: warp-mask
  data[lane] = value;
}

int main() {
  kernel<<<1, 32>>>(device_array<int>(64));
  return finish();
}
