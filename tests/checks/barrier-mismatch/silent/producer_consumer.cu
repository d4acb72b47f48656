// Several calls on one named barrier are how producer and consumer warps work.
#include "../../check_case.h"

__global__ void kernel(int* out) {
  __shared__ int tile[32];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    tile[lane] = lane * 3;
    ARRIVE(1, 64);
    SYNC(2, 64);
    tile[lane] = 0;
  } else {
    SYNC(1, 64);
    out[lane] = tile[31 - lane];
    ARRIVE(2, 64);
  }
}

int main() {
  kernel<<<1, 64>>>(device_array<int>(32));
  return finish();
}
