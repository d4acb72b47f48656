// options: --arch sm_90
// Cluster scope reaches the blocks of the cluster: updates, and a flag that hands data over.
#include "../../check_case.h"
#include "../../cluster.h"

__global__ void __cluster_dims__(2, 1, 1) count(unsigned* counters, int* data, unsigned* flags, int* out) {
  const unsigned cluster = blockIdx.x / 2;
  asm volatile("red.relaxed.cluster.global.add.u32 [%0], 1;" ::"l"(__cvta_generic_to_global(&counters[cluster])) : "memory");
  if (threadIdx.x != 0) return;
  unsigned seen = 0;
  if (blockIdx.x % 2 == 0) {
    data[cluster] = 42;
    asm volatile("st.release.cluster.global.u32 [%0], 1;" ::"l"(__cvta_generic_to_global(&flags[cluster])) : "memory");
  } else {
    do {
      asm volatile("ld.acquire.cluster.global.u32 %0, [%1];" : "=r"(seen) : "l"(__cvta_generic_to_global(&flags[cluster])) : "memory");
    } while (seen == 0);
    out[cluster] = data[cluster];
  }
}

int main() {
  count<<<4, 32>>>(device_array<unsigned>(2), device_array<int>(2), device_array<unsigned>(2), device_array<int>(2));
  return finish();
}
