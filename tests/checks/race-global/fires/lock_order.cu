// The lock orders the write before the read in some schedules only: no single one need show it.
// options: --schedules 8
#include "../../check_case.h"

__global__ void pass(int* lock, int* data, int* out) {
  __syncthreads(); // from here on either warp may be first
  if (threadIdx.x % 32 != 0) return;
  const bool first = threadIdx.x == 0;
  if (first) *data = 1;                 // other: race-global
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  if (!first) *out = *data;            // other: race-global
  __threadfence();
  atomicExch(lock, 0);
}

int main() {
  pass<<<1, 64>>>(device_array<int>(1), device_array<int>(1), device_array<int>(1));
  return finish();
}
