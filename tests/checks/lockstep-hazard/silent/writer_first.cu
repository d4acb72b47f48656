// options: --enable lockstep-hazard
// The lane that sets the flag does so before any other waits.
#include "../../check_case.h"

__global__ void kernel(int* flag) {
  if (threadIdx.x == 1) {
    __threadfence();
    atomicExch(flag, 1);
  }
  __syncwarp();
  if (threadIdx.x == 0) {
    while (atomicAdd(flag, 0) == 0) {}
    __threadfence();
  }
}

int main() {
  kernel<<<1, 32>>>(device_array<int>(64));
  return finish();
}
