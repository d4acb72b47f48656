// options: --arch sm_90
// barrier.cluster.arrive.relaxed orders no memory.
#include "../../check_case.h"

#include <cooperative_groups.h>

__global__ void __cluster_dims__(2, 1, 1) relaxed(int* out) {
  __shared__ int word;
  cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  if (threadIdx.x == 0) word = blockIdx.x; // other: race-shared
  asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
  asm volatile("barrier.cluster.wait;" ::: "memory");
  const int value = *cluster.map_shared_rank(&word, cluster.block_rank() ^ 1); // other: race-shared
  cluster.sync();
  if (threadIdx.x == 0) out[blockIdx.x] = value;
}

int main() {
  relaxed<<<2, 32>>>(device_array<int>(2));
  return finish();
}
