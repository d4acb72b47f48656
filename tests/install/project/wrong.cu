__global__ void wrong(int* data) {
  if (threadIdx.x < 40) __syncthreads();
  data[threadIdx.x] = 1;
}

int main() {
  int* device = nullptr;
  if (cudaMalloc(&device, 64 * sizeof(int)) != cudaSuccess) return 1;
  wrong<<<1, 64>>>(device);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
