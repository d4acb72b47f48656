// options: --arch sm_90
// Updates of cluster scope by blocks of different clusters.
#include "../../check_case.h"

__global__ void __cluster_dims__(2, 1, 1) count(unsigned* counter) {
  asm volatile("red.relaxed.cluster.global.add.u32 [%0], 1;" ::"l"(__cvta_generic_to_global(counter)) : "memory"); // other: race-scope
}

int main() {
  count<<<4, 32>>>(device_array<unsigned>(1));
  return finish();
}
