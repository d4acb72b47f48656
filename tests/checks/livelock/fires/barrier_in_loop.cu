// The barrier is met again and again, and still nothing ever changes.
#include "../../check_case.h"

__global__ void rounds(volatile int* done, int* out) {
  while (*done == 0) // expect: livelock
    __syncthreads();
  out[threadIdx.x] = 1;
}

int main() {
  rounds<<<1, 64>>>(device_array<int>(1), device_array<int>(64));
  return finish();
}
