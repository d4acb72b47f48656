// Threads arrive at a barrier object that another thread may not have initialised yet.
#include "../../check_case.h"
#include <cuda/barrier>

__global__ void meet(int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) init(&bar, 32);  // other: race-shared
  if (threadIdx.x < 32) bar.arrive_and_wait(); // other: race-shared
  out[threadIdx.x] = 1;
}

int main() {
  meet<<<1, 32>>>(device_array<int>(32));
  return finish();
}
