// options: --arch sm_90
// A fence before the relaxed arrival orders as a release would (PTX ISA, barrier.cluster).
#include "../../check_case.h"
#include "../../cluster.h"

__global__ void __cluster_dims__(2, 1, 1) fenced(int* out) {
  __shared__ int word;
  if (threadIdx.x == 0) word = blockIdx.x;
  asm volatile("fence.acq_rel.cluster;" ::: "memory");
  asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
  asm volatile("barrier.cluster.wait;" ::: "memory");
  const int value = *map_shared(&word, cluster_rank() ^ 1);
  cluster_sync();
  if (threadIdx.x == 0) out[blockIdx.x] = value;
}

int main() {
  fenced<<<2, 32>>>(device_array<int>(2));
  return finish();
}
