// Managed memory belongs to both.
#include "../../check_case.h"

__global__ void kernel(int* data) { data[threadIdx.x] = 1; }

int main() {
  int* data = nullptr;
  if (cudaMallocManaged(&data, 64 * sizeof(int)) != cudaSuccess) return 1;
  data[0] = 5;
  kernel<<<1, 64>>>(data);
  finish();
  return data[3] - 1;
}
