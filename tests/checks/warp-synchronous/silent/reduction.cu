// The reduction with warp barriers.
#include "../../check_case.h"

__global__ void sum(int* out) {
  __shared__ volatile int part[32];
  const int t = threadIdx.x;
  part[t] = t;
  __syncwarp();
  for (int step = 16; step > 0; step /= 2) {
    const int value = part[t] + part[(t + step) % 32];
    __syncwarp();
    part[t] = value;
    __syncwarp();
  }
  if (t == 0) *out = part[0];
}

int main() {
  sum<<<1, 32>>>(device_array<int>(1));
  return finish();
}
