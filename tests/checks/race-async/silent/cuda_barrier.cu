// cuda::memcpy_async that completes on a cuda::barrier (cp.async.mbarrier.arrive).
#include "../../check_case.h"
#include <cooperative_groups.h>
#include <cuda/barrier>

__global__ void copy(const int* data, int* out) {
  __shared__ int tile[64];
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  auto block = cooperative_groups::this_thread_block();
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  block.sync();
  cuda::memcpy_async(block, tile, data, cuda::aligned_size_t<4>(256), bar);
  bar.arrive_and_wait();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

int main() {
  copy<<<1, 64>>>(device_array<int>(64), device_array<int>(64));
  return finish();
}
