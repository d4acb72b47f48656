// The maximum of 64-bit integers.
#include "../../check_case.h"

using long_long = long long;

__global__ void kernel(long_long* data) {
  __shared__ long_long sum;
  if (threadIdx.x == 0) sum = long_long{};
  __syncthreads();
  atomicMax(&sum, long_long(1)); // expect: atomic-cas-loop
  __syncthreads();
  data[threadIdx.x] = sum;
}

int main() {
  kernel<<<1, 32>>>(device_array<long_long>(64));
  return finish();
}
