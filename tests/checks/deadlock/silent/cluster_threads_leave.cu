// options: --arch sm_90
// Threads that have left hold no cluster barrier up, nor does a whole block.
#include "../../check_case.h"
#include "../../cluster.h"

__global__ void __cluster_dims__(4, 1, 1) some_leave(int* out) {
  if (cluster_rank() == 2 || threadIdx.x % 2 == 1) return;
  for (int round = 0; round < 3; ++round) cluster_sync();
  if (threadIdx.x == 0) out[blockIdx.x] = 1;
}

int main() {
  some_leave<<<8, 96>>>(device_array<int>(8));
  return finish();
}
