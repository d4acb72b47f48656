#include "../../check_case.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// A whole warp waits at a barrier of the block, another at one that needs it.
__global__ void block_and_named(int* out) {
  if (threadIdx.x < 32)
    __syncthreads(); // other: deadlock
  else
    SYNC(1, 64); // other: deadlock
  out[threadIdx.x] = 1;
}

// A block leaves before the barrier of the grid.
__global__ void grid_barrier(int* out) {
  if (blockIdx.x == 1) return;
  cg::this_grid().sync(); // expect: livelock
  out[blockIdx.x] = 1;
}

// The consumer makes one trip more than the producer.
__global__ void one_trip_more(int trips) {
  if (threadIdx.x < 32)
    for (int i = 0; i < trips; ++i) ARRIVE(1, 64); // expect: barrier-count
  else
    for (int i = 0; i <= trips; ++i) SYNC(1, 64); // expect: deadlock
}

// The barrier counts warps that have other things to do.
__global__ void too_many(int* out) {
  if (threadIdx.x >= 32) {
    out[threadIdx.x] = 1;
    return;
  }
  SYNC(2, 96); // expect: deadlock
}

// Three roles in a ring, each waits for the one before it.
__global__ void ring() {
  const int role = threadIdx.x / 32;
  if (role == 0) SYNC(1, 64); // other: deadlock
  if (role == 1) SYNC(2, 64); // other: deadlock
  if (role == 2) SYNC(3, 64); // other: deadlock
  ARRIVE(1 + (role + 1) % 3, 64);
}

int main(int argc, char** argv) {
  return each_alone(argc, argv,
                    {[] { block_and_named<<<1, 64>>>(device_array<int>(64)); },
                     [] {
                       int* out = device_array<int>(4);
                       void* arguments[] = {&out};
                       cudaLaunchCooperativeKernel(grid_barrier, 4, 32, arguments, 0, nullptr);
                     },
                     [] { one_trip_more<<<1, 64>>>(3); }, [] { too_many<<<1, 96>>>(device_array<int>(96)); },
                     [] { ring<<<1, 96>>>(); }});
}
