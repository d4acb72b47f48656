// A block of 40 threads has two warps: a count of 64 names them all.
#include "../../check_case.h"

__global__ void kernel(int* out) {
  __shared__ int tile[40];
  tile[threadIdx.x] = threadIdx.x;
  SYNC(1, 64);
  out[blockIdx.x * 40 + threadIdx.x] = tile[39 - threadIdx.x];
}

int main() {
  kernel<<<2, 40>>>(device_array<int>(80));
  return finish();
}
