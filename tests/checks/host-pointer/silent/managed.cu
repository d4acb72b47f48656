// Managed memory has one address for host and device.
#include "../../check_case.h"

__global__ void kernel(int* data) { data[threadIdx.x] += 1; }

int main() {
  int* data = nullptr;
  if (cudaMallocManaged(&data, 64 * sizeof(int)) != cudaSuccess) return 1;
  for (int i = 0; i < 64; ++i) data[i] = i;
  kernel<<<1, 64>>>(data);
  const int code = finish();
  for (int i = 0; i < 64; ++i)
    if (data[i] != i + 1) return 1;
  return code;
}
