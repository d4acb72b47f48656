// Two warps wait at two barriers in the same order.
#include "../../check_case.h"

__global__ void kernel(int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = threadIdx.x;
  SYNC(1, 64);
  out[threadIdx.x] = tile[63 - threadIdx.x];
  SYNC(2, 64);
}

int main() {
  kernel<<<1, 64>>>(device_array<int>(64));
  return finish();
}
