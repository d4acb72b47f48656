// The warp reduction of before Volta: volatile, and no barrier.
#include "../../check_case.h"

__global__ void sum(int* out) {
  __shared__ volatile int part[64];
  const int t = threadIdx.x;
  part[t] = t;
  __syncthreads();
  if (t < 32) {
    part[t] += part[t + 16];             // other: warp-synchronous
    part[t] += part[t + 8];              // other: warp-synchronous
  }
  if (t == 0) *out = part[0];
}

int main() {
  sum<<<1, 64>>>(device_array<int>(1));
  return finish();
}
