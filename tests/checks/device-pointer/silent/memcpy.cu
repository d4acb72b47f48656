// Copied to the host first.
#include "../../check_case.h"

__global__ void kernel(int* data) { data[threadIdx.x] = 1; }

int main() {
  int* data = device_array<int>(64);
  kernel<<<1, 64>>>(data);
  int first = 0;
  if (cudaMemcpy(&first, data, sizeof first, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  std::printf("%d\n", first);
  return 0;
}
