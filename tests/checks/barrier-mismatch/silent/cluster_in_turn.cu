// options: --arch sm_90
// Arrivals and waits in turn, from different places of the code.
#include "../../check_case.h"

__global__ void __cluster_dims__(2, 1, 1) in_turn() {
  for (int round = 0; round < 4; ++round) {
    if (threadIdx.x < 32)
      asm volatile("barrier.cluster.arrive;" ::: "memory");
    else
      asm volatile("barrier.cluster.arrive.release;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
  }
}

int main() {
  in_turn<<<4, 64>>>();
  return finish();
}
