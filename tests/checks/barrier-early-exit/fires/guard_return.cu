// The usual `if (i >= n) return;` in front of a barrier.
#include "../../check_case.h"

__global__ void kernel(int* out, int n) {
  __shared__ int tile[128];
  if (threadIdx.x >= n) return;
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads(); // expect: barrier-early-exit
  out[threadIdx.x] = tile[n - 1 - threadIdx.x];
}

int main() {
  kernel<<<1, 128>>>(device_array<int>(128), 70);
  return finish();
}
