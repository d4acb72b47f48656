// options: --enable lockstep-hazard
// Warp 0 waits for warp 1.
#include "../../check_case.h"

__global__ void kernel(int* flag) {
  if (threadIdx.x < 32) {
    while (atomicAdd(flag, 0) == 0) {}
    __threadfence();
  } else {
    __threadfence();
    if (threadIdx.x == 32) atomicExch(flag, 1);
  }
}

int main() {
  kernel<<<1, 64>>>(device_array<int>(64));
  return finish();
}
