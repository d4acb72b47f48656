// options: --arch sm_90
// A thread arrives at the cluster's barrier twice with no wait between.
#include "../../check_case.h"

__global__ void __cluster_dims__(2, 1, 1) twice() {
  asm volatile("barrier.cluster.arrive;" ::: "memory");
  asm volatile("barrier.cluster.arrive;" ::: "memory"); // expect: barrier-mismatch
  asm volatile("barrier.cluster.wait;" ::: "memory");
}

int main() {
  twice<<<2, 32>>>();
  return finish();
}
