// Whole warps return in the else branch.
#include "../../check_case.h"

__global__ void kernel(int* out) {
  if (threadIdx.x < 64) {
    out[threadIdx.x] = 1;
  } else {
    out[threadIdx.x] = 2;
    return;
  }
  __syncthreads(); // expect: barrier-early-exit
  out[threadIdx.x] += 1;
}

int main() {
  kernel<<<1, 128>>>(device_array<int>(128));
  return finish();
}
