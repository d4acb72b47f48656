// A block has 16 barriers; here a warp of a large block computes the number of one that is not there.
#include "../../check_case.h"

__device__ void meet(int number) { asm volatile("barrier.sync %0, 32;" ::"r"(number) : "memory"); } // expect: barrier-count

__global__ void kernel(int* out, int first) {
  meet(first + threadIdx.x / 32);
  out[threadIdx.x] = 1;
}

int main() {
  kernel<<<1, 64>>>(device_array<int>(64), 15);
  return finish();
}
