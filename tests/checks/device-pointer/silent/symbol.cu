// A device variable, through cudaMemcpyFromSymbol.
#include "../../check_case.h"

__device__ int counter = 3;

__global__ void kernel(int* data) { data[threadIdx.x] = 1; }

int main() {
  kernel<<<1, 64>>>(device_array<int>(64));
  int value = 0;
  if (cudaMemcpyFromSymbol(&value, counter, sizeof value) != cudaSuccess) return 1;
  return value - 3;
}
