// Managed memory and variables: both sides use the same address.
#include "check.h"

__managed__ int total = 5;
__managed__ int* list;

__global__ void add(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    data[i] += list[i];
    atomicAdd(&total, 1);
  }
}

int main() {
  constexpr int n = 500;
  int* data = nullptr;
  CHECK(total == 5);
  OK(cudaMallocManaged(&data, n * sizeof(int)));
  OK(cudaMallocManaged(&list, n * sizeof(int)));
  for (int i = 0; i < n; ++i) {
    data[i] = i;
    list[i] = 10 * i;
  }
  total = 1;
  add<<<(n + 127) / 128, 128>>>(data, n);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) CHECK(data[i] == 11 * i);
  CHECK(total == n + 1);

  cudaPointerAttributes attributes;
  OK(cudaPointerGetAttributes(&attributes, data));
  CHECK(attributes.type == cudaMemoryTypeManaged);
  CHECK(attributes.devicePointer == data && attributes.hostPointer == data);
  int first = -1;
  OK(cudaMemcpyFromSymbol(&first, total, sizeof first));
  CHECK(first == n + 1);
  OK(cudaMemcpy(&first, data + 1, sizeof first, cudaMemcpyDefault));
  CHECK(first == 11);
  OK(cudaFree(data));
  OK(cudaFree(list));
  return pass();
}
