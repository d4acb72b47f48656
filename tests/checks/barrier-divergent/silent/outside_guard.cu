// The repair of the guard: work is conditional, the barrier is not.
#include "../../check_case.h"

__global__ void kernel(int* out, int n) {
  __shared__ int tile[256];
  if (threadIdx.x < n) tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x < n) out[blockIdx.x * 256 + threadIdx.x] = tile[n - 1 - threadIdx.x];
}

int main() {
  kernel<<<2, 256>>>(device_array<int>(512), 100);
  return finish();
}
