// One step of a scan with warp barriers.
#include "../../check_case.h"

__global__ void scan(int* out) {
  __shared__ volatile int value[64];
  const int t = threadIdx.x;
  value[t] = 0;
  value[32 + t] = 1;
  __syncwarp();
  const int before = value[32 + t - 1];
  __syncwarp();
  value[32 + t] = 1 + before;
  out[t] = value[32 + t];
}

int main() {
  scan<<<1, 32>>>(device_array<int>(32));
  return finish();
}
