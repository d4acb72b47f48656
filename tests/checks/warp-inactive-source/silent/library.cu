// CUB guards its shuffles itself: a scan and a reduction of part of a warp.
#include "../../check_case.h"

#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

__global__ void kernel(int* data) {
  using Reduce = cub::WarpReduce<int>;
  using Scan = cub::WarpScan<int>;
  __shared__ Reduce::TempStorage reduce;
  __shared__ Scan::TempStorage scan;
  const int sum = Reduce(reduce).Sum(int(threadIdx.x), 20);
  int before = 0;
  Scan(scan).ExclusiveSum(int(threadIdx.x), before);
  data[threadIdx.x] = before;
  if (threadIdx.x == 0) data[32] = sum;
}

int main() {
  kernel<<<1, 32>>>(device_array<int>(64));
  return finish();
}
