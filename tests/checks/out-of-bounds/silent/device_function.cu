#include "../../check_case.h"

using Function = int (*)(int);
__device__ int twice(int x) { return 2 * x; }
__device__ Function stored = twice;

__global__ void kernel(int* out, Function function) { out[threadIdx.x] = function(threadIdx.x); }

int main() {
  Function function;
  cudaMemcpyFromSymbol(&function, stored, sizeof function);
  kernel<<<1, 32>>>(device_array<int>(32), function);
  return finish();
}
