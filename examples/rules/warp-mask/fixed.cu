// [explain]
__global__ void sum(int* data) {
  if (threadIdx.x < 16) data[threadIdx.x] += __shfl_xor_sync(0x0000ffff, data[threadIdx.x], 8);
}
// [end]

int main() {
  int* data = nullptr;
  if (cudaMalloc(&data, 64 * sizeof(int)) != cudaSuccess) return 1;
  cudaMemset(data, 0, 64 * sizeof(int));
  sum<<<1, 32>>>(data);
  return cudaDeviceSynchronize() != cudaSuccess;
}
