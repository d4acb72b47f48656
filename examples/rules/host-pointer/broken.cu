#include <vector>

__global__ void clear(int* data) { data[threadIdx.x] = 0; }

// [explain]
int main() {
  std::vector<int> values(64);
  clear<<<1, 64>>>(values.data()); // memory of the host
  return cudaDeviceSynchronize() != cudaSuccess;
}
// [end]
