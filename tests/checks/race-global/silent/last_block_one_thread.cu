// The last-block reduction, thread 0 of each block doing it all.
#include "../../check_case.h"

__global__ void last(int* partial, unsigned* done, int* total) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = blockIdx.x;
    __threadfence();
    is_last = atomicInc(done, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    __threadfence();
    int sum = 0;
    for (int i = 0; i < gridDim.x; ++i) sum += partial[i];
    *total = sum;
  }
}

int main() {
  last<<<4, 32>>>(device_array<int>(4), device_array<unsigned>(1), device_array<int>(1));
  return finish();
}
