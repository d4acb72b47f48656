// Whoever would set the flag waits at a barrier for those who wait for the flag.
#include "../../check_case.h"

__global__ void meet(int* out) {
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    while (flag == 0) {} // expect: livelock
  }
  __syncthreads(); // other: livelock
  if (threadIdx.x == 32) flag = 1;
  out[threadIdx.x] = 1;
}

int main() {
  meet<<<1, 64>>>(device_array<int>(64));
  return finish();
}
