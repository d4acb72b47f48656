// The reduction in a function is called by whole warps.
#include "../../check_case.h"

__device__ int sum(int value) {
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, offset);
  return value;
}

__global__ void kernel(int* data) {
  const int lane = threadIdx.x % 32;
  int value = 0;
  if (threadIdx.x < 32) value = sum(lane);
  __syncthreads();
  data[threadIdx.x] = value;
}

int main() {
  kernel<<<1, 64>>>(device_array<int>(64));
  return finish();
}
