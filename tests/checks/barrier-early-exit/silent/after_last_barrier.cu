// All threads meet; only then some return.
#include "../../check_case.h"

__global__ void kernel(int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x != 0) return;
  int sum = 0;
  for (int i = 0; i < 64; ++i) sum += tile[i];
  out[blockIdx.x] = sum;
}

int main() {
  kernel<<<3, 64>>>(device_array<int>(3));
  return finish();
}
