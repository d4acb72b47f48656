// The token of the arrival is thrown away, and nobody waits.
#include "../../check_case.h"
#include <cuda/barrier>

__global__ void rotate(int* out, int rounds) {
  __shared__ int slot[2][64];
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  const int t = threadIdx.x;
  if (t == 0) init(&bar, blockDim.x);
  __syncthreads();
  int value = t;
  for (int i = 0; i < rounds; ++i) {
    slot[i % 2][t] = value; // other: race-shared
    (void)bar.arrive();
    value = slot[i % 2][(t + 33) % 64]; // other: race-shared
  }
  out[t] = value;
}

int main() {
  rotate<<<1, 64>>>(device_array<int>(64), 4);
  return finish();
}
