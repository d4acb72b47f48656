// A barrier over the grid made by hand, in a launch that is not cooperative.
#include "../../check_case.h"

__global__ void kernel(int* count) {
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(count, 1);
    while (atomicAdd(count, 0) < gridDim.x) {} // expect: needs-co-residency
    __threadfence();
  }
  __syncthreads();
}

int main() {
  kernel<<<160, 32>>>(device_array<int>(64));
  return finish();
}
