// [explain]
__global__ void reverse(int* data, int n) {
  __shared__ int tile[64];
  const bool active = threadIdx.x < n;
  if (active) tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  if (active) data[threadIdx.x] = tile[n - 1 - threadIdx.x];
}
// [end]

int main() {
  int* data = nullptr;
  if (cudaMalloc(&data, 64 * sizeof(int)) != cudaSuccess) return 1;
  cudaMemset(data, 0, 64 * sizeof(int));
  reverse<<<1, 64>>>(data, 40);
  return cudaDeviceSynchronize() != cudaSuccess;
}
