// A loop that waits for a plain variable: at -O3 its load stands before the loop.
#include "../../check_case.h"

__global__ void wait_for_flag(int* out) {
  __shared__ int ready;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x == 0) ready = 1; // other: race-shared
  if (threadIdx.x == 32)
    while (ready == 0) { // other: race-shared
    }
  out[threadIdx.x] = 1;
}

int main() {
  wait_for_flag<<<1, 64>>>(device_array<int>(64));
  return finish();
}
