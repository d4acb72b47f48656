// Two halves wait for one another with different masks.
#include "../../check_case.h"

__global__ void kernel(int* data) {
  const int lane = threadIdx.x;
  if (lane < 16)
    data[lane] = __shfl_sync(0xffffffffu, lane, 0); // other: warp-mask
  else
    data[lane] = __shfl_sync(0xffff0001u, lane, 16); // other: warp-mask
}

int main() {
  kernel<<<1, 32>>>(device_array<int>(64));
  return finish();
}
