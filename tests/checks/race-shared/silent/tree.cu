// A reduction tree, its last steps within a warp.
#include "../../check_case.h"

__global__ void sum(int* out) {
  __shared__ int part[256];
  const int t = threadIdx.x;
  part[t] = t;
  __syncthreads();
  for (int step = 128; step >= 32; step /= 2) {
    if (t < step) part[t] += part[t + step];
    __syncthreads();
  }
  if (t >= 32) return;
  for (int step = 16; step > 0; step /= 2) {
    int value = part[t] + part[t + step];
    __syncwarp();
    part[t] = value;
    __syncwarp();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

int main() {
  sum<<<2, 256>>>(device_array<int>(2));
  return finish();
}
