// Barriers of 8 lanes each, exchanges within 8 lanes.
#include "../../check_case.h"

__global__ void exchange(int* out) {
  __shared__ volatile int slot[32];
  const int t = threadIdx.x;
  slot[t] = t;
  __syncwarp(0xffu << (t / 8 * 8));
  out[t] = slot[t ^ 7];
}

int main() {
  exchange<<<1, 32>>>(device_array<int>(32));
  return finish();
}
