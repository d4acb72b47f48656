// Each warp meets at a barrier of its own, up to the last one.
#include "../../check_case.h"

__device__ void meet(int number) { asm volatile("barrier.sync %0, 32;" ::"r"(number) : "memory"); }

__global__ void kernel(int* out, int first) {
  meet(first + threadIdx.x / 32);
  out[threadIdx.x] = 1;
}

int main() {
  kernel<<<1, 64>>>(device_array<int>(64), 14);
  return finish();
}
