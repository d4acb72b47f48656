// One warp asks for a count, the other only waits: two kinds of barrier on number 0.
#include "../../check_case.h"

__global__ void kernel(int* out) {
  int count = 0;
  const int lane = threadIdx.x;
  if (threadIdx.x < 32)
    asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 5; bar.red.popc.u32 %0, 0, p; }" : "=r"(count) : "r"(lane)); // other: barrier-mismatch
  else
    asm volatile("bar.sync 0;" ::: "memory"); // other: barrier-mismatch
  out[threadIdx.x] = count;
}

int main() {
  kernel<<<1, 64>>>(device_array<int>(64));
  return finish();
}
