__global__ void clear(int* data) { data[blockIdx.x * blockDim.x + threadIdx.x] = 0; }

// [explain]
int main() {
  int* data = nullptr;
  if (cudaMalloc(&data, 2048 * sizeof(int)) != cudaSuccess) return 1;
  clear<<<1, 2048>>>(data); // a block has at most 1,024 threads: nothing runs
  return cudaGetLastError() != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess;
}
// [end]
