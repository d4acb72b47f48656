// So does mapped host memory.
#include "../../check_case.h"

__global__ void kernel(int* data) { data[threadIdx.x] = 1; }

int main() {
  int* data = nullptr;
  if (cudaHostAlloc(&data, 64 * sizeof(int), cudaHostAllocMapped) != cudaSuccess) return 1;
  kernel<<<1, 64>>>(data);
  finish();
  return data[3] - 1;
}
