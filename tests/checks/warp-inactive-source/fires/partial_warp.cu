// The second warp has 16 lanes; its lane 0 adds what lane 16 does not have.
#include "../../check_case.h"

__global__ void kernel(int* data) {
  int value = threadIdx.x;
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_down_sync(0xffffffffu, value, offset); // expect: warp-inactive-source
  if (threadIdx.x % 32 == 0) data[threadIdx.x / 32] = value; // other: warp-inactive-source
}

int main() {
  kernel<<<1, 48>>>(device_array<int>(64));
  return finish();
}
