__global__ void add(int* sum, const int* data) { atomicAdd(sum, data[threadIdx.x]); }

// [explain]
int main() {
  int* data = nullptr;
  if (cudaMalloc(&data, 65 * sizeof(int)) != cudaSuccess) return 1;
  cudaMemset(data, 0, 65 * sizeof(int));
  add<<<1, 64>>>(data + 64, data);
  return cudaDeviceSynchronize() != cudaSuccess;
}
// [end]
