// The same in global memory.
#include "../../check_case.h"

__global__ void exchange(volatile int* slot, int* out) {
  slot[threadIdx.x] = threadIdx.x;       // other: warp-synchronous
  out[threadIdx.x] = slot[31 - threadIdx.x]; // other: warp-synchronous
}

int main() {
  exchange<<<1, 32>>>(device_array<int>(32), device_array<int>(32));
  return finish();
}
