// The lock is taken and never given back: the second thread waits for ever.
#include "../../check_case.h"

__device__ int lock;

__global__ void count(int* out) {
  if (threadIdx.x >= 2) return;
  while (atomicCAS(&lock, 0, 1) != 0) {} // expect: livelock
  __threadfence();
  out[0] += 1;
}

int main() {
  count<<<1, 64>>>(device_array<int>(1));
  return finish();
}
