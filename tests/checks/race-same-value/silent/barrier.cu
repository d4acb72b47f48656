// The same value twice, with a barrier in between.
#include "../../check_case.h"

__global__ void mark(int* flag) {
  if (threadIdx.x == 0) *flag = 1;
  __syncthreads();
  if (threadIdx.x == 32) *flag = 1;
}

int main() {
  mark<<<1, 64>>>(device_array<int>(1));
  return finish();
}
