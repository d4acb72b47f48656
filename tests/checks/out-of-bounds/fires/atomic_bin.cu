// A histogram of values up to 100 into 100 bins.
#include "../../check_case.h"

__global__ void kernel(int* bins) {
  asm volatile("red.global.add.s32 [%0], 1;" ::"l"(&bins[threadIdx.x]) : "memory"); // expect: out-of-bounds
}

int main() {
  kernel<<<1, 101>>>(device_array<int>(100));
  return finish();
}
