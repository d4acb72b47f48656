// The address of a function that the host took is the host's.
#include "../../check_case.h"

__device__ __host__ int twice(int x) { return 2 * x; }

__global__ void kernel(int* out, int (*function)(int)) {
  out[threadIdx.x] = function(threadIdx.x); // expect: out-of-bounds
}

int main() {
  kernel<<<1, 32>>>(device_array<int>(32), twice);
  return finish();
}
