// Whole warps meet at different calls: it works, and is fragile (a warning).
#include "../../check_case.h"

__global__ void kernel(int* out) {
  if (threadIdx.x < 32) {
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
