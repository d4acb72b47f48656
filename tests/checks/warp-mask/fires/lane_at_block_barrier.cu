// Lane 0 waits for the block, its warp waits for lane 0.
#include "../../check_case.h"

__global__ void kernel() {
  if (threadIdx.x == 0) {
    asm volatile("barrier.sync 0;" ::: "memory"); // other: warp-mask
    asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
  } else {
    asm volatile("bar.warp.sync 0xffffffff;" ::: "memory"); // other: warp-mask
    asm volatile("barrier.sync 0;" ::: "memory");
  }
}

int main() {
  kernel<<<1, 32>>>();
  return finish();
}
