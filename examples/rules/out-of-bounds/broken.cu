// [explain]
__global__ void clear(int* data, int n) { // data has n elements
  if (threadIdx.x <= n) data[threadIdx.x] = 0;
}
// [end]

int main() {
  int* data = nullptr;
  if (cudaMalloc(&data, 40 * sizeof(int)) != cudaSuccess) return 1;
  cudaMemset(data, 0, 40 * sizeof(int));
  clear<<<1, 64>>>(data, 40);
  return cudaDeviceSynchronize() != cudaSuccess;
}
