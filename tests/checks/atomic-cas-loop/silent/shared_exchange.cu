// 64-bit exchange has one.
#include "../../check_case.h"

using unsigned_long = unsigned long long;

__global__ void kernel(unsigned_long* data) {
  __shared__ unsigned_long sum;
  if (threadIdx.x == 0) sum = unsigned_long{};
  __syncthreads();
  atomicExch(&sum, unsigned_long(1)); 
  __syncthreads();
  data[threadIdx.x] = sum;
}

int main() {
  kernel<<<1, 32>>>(device_array<unsigned_long>(64));
  return finish();
}
