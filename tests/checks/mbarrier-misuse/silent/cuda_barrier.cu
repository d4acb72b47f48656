// cuda::barrier in shared memory, phase after phase.
#include "../../check_case.h"

#include <cuda/barrier>

__global__ void kernel(int* data) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ int tile[64];
  if (threadIdx.x == 0) init(&barrier, 64);
  __syncthreads();
  for (int round = 0; round < 3; ++round) {
    tile[threadIdx.x] = round;
    auto token = barrier.arrive();
    barrier.wait(std::move(token));
    data[threadIdx.x] += tile[63 - threadIdx.x];
    barrier.arrive_and_wait();
  }
}

int main() {
  kernel<<<1, 64>>>(device_array<int>(64));
  return finish();
}
