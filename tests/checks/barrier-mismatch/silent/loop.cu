// One call in a loop is one call, however often it is unrolled or run.
#include "../../check_case.h"

__global__ void kernel(int* out) {
  __shared__ int tile[64];
  int value = threadIdx.x;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    tile[threadIdx.x] = value;
    __syncthreads();
    value += tile[(threadIdx.x + 1) % 64];
    __syncthreads();
  }
  out[blockIdx.x * 64 + threadIdx.x] = value;
}

int main() {
  kernel<<<2, 64>>>(device_array<int>(128));
  return finish();
}
