// A barrier of the whole grid, made of release atomics and acquire loads: whichever block comes last, it knows all.
#include "../../check_case.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void shift(int* a, int* b, int n) {
  auto grid = cg::this_grid();
  for (int round = 0; round < 2; ++round) {
    for (int i = grid.thread_rank(); i < n; i += grid.size()) b[i] = a[(i + 97) % n] + 1;
    grid.sync();
    for (int i = grid.thread_rank(); i < n; i += grid.size()) a[i] = b[i];
    grid.sync();
  }
}

int main() {
  int n = 1000;
  int* a = device_array<int>(n);
  int* b = device_array<int>(n);
  void* arguments[] = {&a, &b, &n};
  cudaLaunchCooperativeKernel((void*)shift, dim3(4), dim3(64), arguments, 0, 0);
  return finish();
}
