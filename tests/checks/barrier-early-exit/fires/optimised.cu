// options: --as-built
#include "../../check_case.h"

// The optimiser leaves no trace of which of the two it was: both are the warning.
__global__ void returned(int* out, int n) {
  if (threadIdx.x >= n) return;
  out[threadIdx.x] = 1;
  __syncthreads(); // expect: barrier-early-exit
  out[threadIdx.x ^ 1] += 1;
}

__global__ void guarded(int* out, int n) {
  if (threadIdx.x < n) {
    out[threadIdx.x] = 1;
    __syncthreads(); // expect: barrier-early-exit
    out[threadIdx.x ^ 1] += 1;
  }
}

int main() {
  returned<<<1, 64>>>(device_array<int>(64), 40);
  guarded<<<1, 64>>>(device_array<int>(64), 40);
  return finish();
}
