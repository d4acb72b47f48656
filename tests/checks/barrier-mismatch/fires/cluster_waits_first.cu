// options: --arch sm_90
// A thread waits at the cluster's barrier without having arrived.
#include "../../check_case.h"

__global__ void __cluster_dims__(2, 1, 1) first() {
  asm volatile("barrier.cluster.wait;" ::: "memory"); // expect: barrier-mismatch
}

int main() {
  first<<<2, 32>>>();
  return finish();
}
