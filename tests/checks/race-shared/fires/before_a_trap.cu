// The last warp reads the line that the first one stores, and then the launch ends before any barrier.
// options: --as-built
#include "../../check_case.h"

__global__ void hand_over(int* out) {
  __shared__ int tile[32];
  if (threadIdx.x < 32) tile[threadIdx.x] = threadIdx.x;           // other: race-shared
  if (threadIdx.x >= 96) out[threadIdx.x] = tile[threadIdx.x - 96]; // expect: race-shared
  if (threadIdx.x == 127) __trap();                                // expect: trap
  __syncthreads();
  out[threadIdx.x] += tile[0];
}

int main() {
  hand_over<<<1, 128>>>(device_array<int>(128));
  return finish();
}
