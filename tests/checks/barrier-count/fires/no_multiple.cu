// A count that is no multiple of the warp size.
#include "../../check_case.h"

__global__ void kernel(int* out) {
  out[threadIdx.x] = 1;
  asm volatile("bar.sync 1, 48;" ::: "memory"); // expect: barrier-count
  out[threadIdx.x] += 1;
}

int main() {
  kernel<<<1, 64>>>(device_array<int>(64));
  return finish();
}
