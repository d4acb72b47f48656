// The consumer waits for an arrival, but the producer has left the kernel.
#include "../../check_case.h"

__global__ void kernel(int* out, bool produce) {
  if (threadIdx.x < 32) {
    if (!produce) return;
    ARRIVE(1, 64);
  } else {
    SYNC(1, 64); // expect: deadlock
    out[threadIdx.x] = 1;
  }
}

int main() {
  kernel<<<1, 64>>>(device_array<int>(64), false);
  return finish();
}
