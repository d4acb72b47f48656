// A cooperative grid that meets.
#include "../../check_case.h"
#include <cooperative_groups.h>

__global__ void shift(int* a, int* b, int n) {
  auto grid = cooperative_groups::this_grid();
  for (int i = grid.thread_rank(); i < n; i += grid.size()) a[i] = i;
  grid.sync();
  for (int i = grid.thread_rank(); i < n; i += grid.size()) b[i] = a[(i + 64) % n];
}

int main() {
  int n = 512;
  int *a = device_array<int>(n), *b = device_array<int>(n);
  void* arguments[] = {&a, &b, &n};
  cudaLaunchCooperativeKernel((void*)shift, dim3(4), dim3(64), arguments, 0, 0);
  return finish();
}
