// options: --arch sm_90
// Remote stores and loads between cluster barriers; slabs are used again by later clusters.
#include "../../check_case.h"

#include <cooperative_groups.h>

__global__ void __cluster_dims__(4, 1, 1) rotate(int* out) {
  __shared__ int rows[2][64];
  cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  rows[0][threadIdx.x] = threadIdx.x;
  cluster.sync();
  for (int round = 0; round < 3; ++round) {
    int* next = cluster.map_shared_rank(rows[(round + 1) % 2], (cluster.block_rank() + 1) % 4);
    next[63 - threadIdx.x] = rows[round % 2][threadIdx.x];
    cluster.barrier_arrive();
    const int other = threadIdx.x * round;
    cluster.barrier_wait();
    rows[(round + 1) % 2][threadIdx.x] += other;
    cluster.sync();
  }
  out[blockIdx.x * 64 + threadIdx.x] = rows[1][threadIdx.x];
}

int main() {
  rotate<<<40, 64>>>(device_array<int>(40 * 64));
  return finish();
}
