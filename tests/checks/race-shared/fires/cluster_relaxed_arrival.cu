// options: --arch sm_90
// barrier.cluster.arrive.relaxed orders no memory.
#include "../../check_case.h"
#include "../../cluster.h"

__global__ void __cluster_dims__(2, 1, 1) relaxed(int* out) {
  __shared__ int word;
  if (threadIdx.x == 0) word = blockIdx.x; // other: race-shared
  asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
  asm volatile("barrier.cluster.wait;" ::: "memory");
  const int value = *map_shared(&word, cluster_rank() ^ 1); // other: race-shared
  cluster_sync();
  if (threadIdx.x == 0) out[blockIdx.x] = value;
}

int main() {
  relaxed<<<2, 32>>>(device_array<int>(2));
  return finish();
}
