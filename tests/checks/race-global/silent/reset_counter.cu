// The last block puts the counter back for the next launch: its own atomicInc observed all the others, and so they
// come before whatever it does afterwards.
#include "../../check_case.h"

__device__ unsigned done = 0;

__global__ void sum(volatile int* part, int* out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    part[blockIdx.x] = blockIdx.x;
    __threadfence();
    last = atomicInc(&done, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  if (threadIdx.x == 1) done = 0; // ordered by the barrier behind the atomic
  if (threadIdx.x != 0) return;
  __threadfence();
  int total = 0;
  for (int i = 0; i < gridDim.x; ++i) total += part[i];
  *out = total;
}

int main() {
  sum<<<8, 64>>>(device_array<int>(8), device_array<int>(1));
  return finish();
}
