// The warp barriers name the lanes that come; lanes that left are not waited for.
#include "../../check_case.h"

__global__ void kernel(int* out) {
  __shared__ int tile[32];
  const int lane = threadIdx.x;
  if (lane >= 28) return;
  tile[lane] = lane;
  if (lane < 16) {
    __syncwarp(0x0000ffffu);
    out[lane] = tile[15 - lane];
  } else {
    __syncwarp(0x0fff0000u);
    out[lane] = tile[16 + 27 - lane];
  }
  __syncwarp();
}

int main() {
  kernel<<<1, 32>>>(device_array<int>(32));
  return finish();
}
