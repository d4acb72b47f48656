// Ordinary host memory, registered first.
#include "../../check_case.h"

__global__ void kernel(int* data) { data[threadIdx.x] += 1; }

int main() {
  int* data = static_cast<int*>(std::aligned_alloc(4096, 4096));
  for (int i = 0; i < 64; ++i) data[i] = i;
  int* device = nullptr;
  if (cudaHostRegister(data, 4096, cudaHostRegisterMapped) != cudaSuccess) return 1;
  if (cudaHostGetDevicePointer(&device, data, 0) != cudaSuccess) return 1;
  kernel<<<1, 64>>>(device);
  const int code = finish();
  for (int i = 0; i < 64; ++i)
    if (data[i] != i + 1) return 1;
  cudaHostUnregister(data);
  std::free(data);
  return code;
}
