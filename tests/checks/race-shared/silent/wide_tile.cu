// Tiles wider than a warp keep their barriers and partial results in the reserved part of shared memory.
#include "../../check_case.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__global__ void sums(int* out) {
  __shared__ cg::block_tile_memory<256> memory;
  __shared__ int mine[256];
  auto block = cg::this_thread_block(memory);
  auto tile = cg::tiled_partition<64>(block);
  mine[threadIdx.x] = int(threadIdx.x);
  tile.sync();
  int sum = cg::reduce(tile, mine[threadIdx.x / 64 * 64 + (threadIdx.x + 32) % 64], cg::plus<int>());
  out[threadIdx.x] = sum;
}

int main() {
  int* out = device_array<int>(256);
  sums<<<1, 256>>>(out);
  int host[256];
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 256; ++i)
    if (host[i] != 64 * (i / 64 * 64) + 63 * 32) return 1;
  return finish();
}
