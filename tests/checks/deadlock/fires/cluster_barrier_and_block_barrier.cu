// options: --arch sm_90
// One warp of block 1 waits for its block, whose other warp waits for the cluster: neither comes to the other's barrier.
#include "../../check_case.h"
#include "../../cluster.h"

__global__ void __cluster_dims__(2, 1, 1) crossed() {
  if (cluster_rank() == 1 && threadIdx.x < 32)
    __syncthreads(); // other: deadlock
  else
    cluster_sync(); // other: deadlock
}

int main() {
  crossed<<<4, 64>>>();
  return finish();
}
