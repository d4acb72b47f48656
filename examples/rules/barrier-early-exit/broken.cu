// [explain]
__global__ void reverse(int* data, int n) {
  __shared__ int tile[64];
  if (threadIdx.x >= n) return; // these are not waited for
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[n - 1 - threadIdx.x];
}
// [end]

int main() {
  int* data = nullptr;
  if (cudaMalloc(&data, 64 * sizeof(int)) != cudaSuccess) return 1;
  cudaMemset(data, 0, 64 * sizeof(int));
  reverse<<<1, 64>>>(data, 40);
  return cudaDeviceSynchronize() != cudaSuccess;
}
