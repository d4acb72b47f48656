// All write, all fence, a barrier, one sets the flag: common, and right on every device.
#include "../../check_case.h"

__global__ void pass(int* data, int* flag, int* out) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = 42;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) *(volatile int*)flag = 1;
  } else if (threadIdx.x == 0) {
    while (*(volatile int*)flag == 0) {
    }
    __threadfence();
    *out = data[33];
  }
}

int main() {
  pass<<<2, 64>>>(device_array<int>(64), device_array<int>(1), device_array<int>(1));
  return finish();
}
