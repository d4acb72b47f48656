// [explain]
#include <cassert>

__global__ void clear(int* data, int n) {
  assert(threadIdx.x < n);
  data[threadIdx.x] = 0;
}

int main() {
  int* data = nullptr;
  if (cudaMalloc(&data, 32 * sizeof(int)) != cudaSuccess) return 1;
  clear<<<1, 32>>>(data, 32);
  return cudaDeviceSynchronize() != cudaSuccess;
}
// [end]
