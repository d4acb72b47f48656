#include "../../check_case.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void grid_barrier(int* out) {
  cg::this_grid().sync();
  out[blockIdx.x] = 1;
  cg::this_grid().sync();
}

__global__ void same_trips(int trips) {
  if (threadIdx.x < 32)
    for (int i = 0; i < trips; ++i) {
      ARRIVE(1, 64);
      SYNC(2, 64);
    }
  else
    for (int i = 0; i < trips; ++i) {
      SYNC(1, 64);
      ARRIVE(2, 64);
    }
}

// Three roles in a ring, and one that begins.
__global__ void ring() {
  const int role = threadIdx.x / 32;
  if (role == 0) {
    ARRIVE(2, 64);
    SYNC(1, 64);
  }
  if (role == 1) {
    SYNC(2, 64);
    ARRIVE(3, 64);
  }
  if (role == 2) {
    SYNC(3, 64);
    ARRIVE(1, 64);
  }
}

int main() {
  int* out = device_array<int>(4);
  void* arguments[] = {&out};
  cudaLaunchCooperativeKernel(grid_barrier, 4, 1, arguments, 0, nullptr);
  same_trips<<<1, 64>>>(3);
  ring<<<1, 96>>>();
  return finish();
}
