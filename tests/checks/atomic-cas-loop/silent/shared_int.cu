// 32-bit integers have instructions in shared memory.
#include "../../check_case.h"

__global__ void kernel(int* data) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = int{};
  __syncthreads();
  atomicAdd(&sum, int(1)); 
  __syncthreads();
  data[threadIdx.x] = sum;
}

int main() {
  kernel<<<1, 32>>>(device_array<int>(64));
  return finish();
}
