// options: --arch sm_90
// A producer in one block, a consumer in the other: each arrives at the other's mbarrier.
#include "../../check_case.h"

#include <cooperative_groups.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ void wait_for(uint64_t* barrier, uint32_t parity) {
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, barrier, parity)) {
  }
}

__global__ void __cluster_dims__(2, 1, 1) hand_over(int* out) {
  __shared__ int buffer[32];
  __shared__ uint64_t full, empty;
  cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, 32);
    ptx::mbarrier_init(&empty, 32);
  }
  cluster.sync();
  int sum = 0;
  for (int round = 0; round < 6; ++round) {
    if (cluster.block_rank() == 0) {
      if (round != 0) wait_for(&empty, (round & 1) ^ 1);
      *cluster.map_shared_rank(&buffer[threadIdx.x], 1) = round + threadIdx.x;
      ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, cluster.map_shared_rank(&full, 1));
    } else {
      wait_for(&full, round & 1);
      sum += buffer[31 - threadIdx.x];
      ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, cluster.map_shared_rank(&empty, 0));
    }
  }
  cluster.sync();
  out[blockIdx.x * 32 + threadIdx.x] = sum;
}

int main() {
  hand_over<<<4, 32>>>(device_array<int>(128));
  return finish();
}
