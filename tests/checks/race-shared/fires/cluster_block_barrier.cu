// options: --arch sm_90
// A block writes into another one's shared memory; __syncthreads() orders only the threads of one block.
#include "../../check_case.h"
#include "../../cluster.h"

__global__ void __cluster_dims__(2, 1, 1) exchange(int* out) {
  __shared__ int inbox[64];
  int* there = map_shared(inbox, cluster_rank() ^ 1);
  there[threadIdx.x] = threadIdx.x; // other: race-shared
  __syncthreads();
  const int value = inbox[threadIdx.x]; // other: race-shared
  cluster_sync();
  out[blockIdx.x * 64 + threadIdx.x] = value;
}

int main() {
  exchange<<<2, 64>>>(device_array<int>(128));
  return finish();
}
