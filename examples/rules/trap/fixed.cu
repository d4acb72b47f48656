// [explain]
__global__ void look_up(int* data, int n) {
  if (threadIdx.x >= n) return;
  data[threadIdx.x] = 0;
}
// [end]

int main() {
  int* data = nullptr;
  if (cudaMalloc(&data, 40 * sizeof(int)) != cudaSuccess) return 1;
  cudaMemset(data, 0, 40 * sizeof(int));
  look_up<<<1, 64>>>(data, 40);
  return cudaDeviceSynchronize() != cudaSuccess;
}
