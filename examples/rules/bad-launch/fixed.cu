__global__ void clear(int* data) { data[blockIdx.x * blockDim.x + threadIdx.x] = 0; }

// [explain]
int main() {
  int* data = nullptr;
  if (cudaMalloc(&data, 2048 * sizeof(int)) != cudaSuccess) return 1;
  clear<<<8, 256>>>(data);
  return cudaGetLastError() != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess;
}
// [end]
