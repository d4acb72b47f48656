// [explain]
__global__ void sum(int* data) {
  const int other = __shfl_down_sync(0xffffffff, data[threadIdx.x], 16); // by all lanes
  if (threadIdx.x < 16) data[threadIdx.x] += other;
}
// [end]

int main() {
  int* data = nullptr;
  if (cudaMalloc(&data, 64 * sizeof(int)) != cudaSuccess) return 1;
  cudaMemset(data, 0, 64 * sizeof(int));
  sum<<<1, 32>>>(data);
  return cudaDeviceSynchronize() != cudaSuccess;
}
