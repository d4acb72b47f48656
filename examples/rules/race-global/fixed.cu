// [explain]
__global__ void count(int* counter) {
  atomicAdd(counter, 1);
}
// [end]

int main() {
  int* data = nullptr;
  if (cudaMalloc(&data, 64 * sizeof(int)) != cudaSuccess) return 1;
  cudaMemset(data, 0, 64 * sizeof(int));
  count<<<2, 64>>>(data);
  return cudaDeviceSynchronize() != cudaSuccess;
}
