// options: --arch sm_90
// The blocks meet once more before any of them leaves.
#include "../../check_case.h"
#include "../../cluster.h"

__global__ void __cluster_dims__(2, 1, 1) meets(int* out) {
  __shared__ int word;
  if (threadIdx.x == 0) word = blockIdx.x;
  cluster_sync();
  if (threadIdx.x == 0) out[blockIdx.x] = *map_shared(&word, cluster_rank() ^ 1);
  cluster_sync();
}

int main() {
  meets<<<6, 32>>>(device_array<int>(6));
  return finish();
}
