#include <vector>

__global__ void clear(int* data) { data[threadIdx.x] = 0; }

// [explain]
int main() {
  std::vector<int> values(64);
  int* data = nullptr;
  if (cudaMalloc(&data, 64 * sizeof(int)) != cudaSuccess) return 1;
  clear<<<1, 64>>>(data);
  return cudaMemcpy(values.data(), data, 64 * sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess;
}
// [end]
