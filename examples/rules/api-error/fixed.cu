__global__ void clear(int* data) { data[threadIdx.x] = 0; }

// [explain]
int main() {
  int* data = nullptr;
  cudaSetDevice(7);
  if (cudaGetLastError() != cudaSuccess) cudaSetDevice(0);
  if (cudaMalloc(&data, 64 * sizeof(int)) != cudaSuccess) return 1;
  clear<<<1, 64>>>(data);
  return cudaDeviceSynchronize() != cudaSuccess;
}
// [end]
