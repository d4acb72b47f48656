// Volatile accesses of different warps: a flag, and a poll.
#include "../../check_case.h"

__global__ void poll(int* out) {
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) flag = 1;
  if (threadIdx.x >= 32)
    while (flag == 0) {
    }
  out[threadIdx.x] = 1;
}

int main() {
  poll<<<1, 64>>>(device_array<int>(64));
  return finish();
}
