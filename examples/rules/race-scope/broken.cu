// [explain]
__global__ void count(int* counter) {
  atomicAdd_block(counter, 1); // atomic among the threads of one block only
}
// [end]

int main() {
  int* data = nullptr;
  if (cudaMalloc(&data, 64 * sizeof(int)) != cudaSuccess) return 1;
  cudaMemset(data, 0, 64 * sizeof(int));
  count<<<2, 64>>>(data);
  return cudaDeviceSynchronize() != cudaSuccess;
}
