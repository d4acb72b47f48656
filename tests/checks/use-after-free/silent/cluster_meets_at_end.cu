// options: --arch sm_90
// The blocks meet once more before any of them leaves.
#include "../../check_case.h"

#include <cooperative_groups.h>

__global__ void __cluster_dims__(2, 1, 1) meets(int* out) {
  __shared__ int word;
  cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  if (threadIdx.x == 0) word = blockIdx.x;
  cluster.sync();
  if (threadIdx.x == 0) out[blockIdx.x] = *cluster.map_shared_rank(&word, cluster.block_rank() ^ 1);
  cluster.sync();
}

int main() {
  meets<<<6, 32>>>(device_array<int>(6));
  return finish();
}
