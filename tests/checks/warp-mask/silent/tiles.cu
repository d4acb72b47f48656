// Tiles and coalesced groups of cooperative groups.
#include "../../check_case.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void kernel(int* data) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  int value = threadIdx.x;
  value += tile.shfl_xor(value, 1);
  tile.sync();
  if (threadIdx.x % 3 == 0) {
    const cg::coalesced_group group = cg::coalesced_threads();
    value += group.shfl(value, 0);
    group.sync();
  }
  if (tile.meta_group_rank() == 1) value += tile.any(value == 9);
  data[threadIdx.x] = value;
}

int main() {
  kernel<<<1, 32>>>(device_array<int>(32));
  return finish();
}
