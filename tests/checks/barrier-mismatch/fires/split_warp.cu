// A barrier in each branch, and one warp in both of them.
#include "../../check_case.h"

__global__ void kernel(int* out) {
  if (threadIdx.x % 2 == 0) {
    out[threadIdx.x] = 1;
    __syncthreads(); // other: barrier-mismatch
  } else {
    out[threadIdx.x] = 2;
    __syncthreads(); // other: barrier-mismatch
  }
  out[threadIdx.x] += 1;
}

int main() {
  kernel<<<1, 64>>>(device_array<int>(64));
  return finish();
}
