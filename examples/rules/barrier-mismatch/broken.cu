// [explain]
__global__ void two_calls(int* data) {
  if (threadIdx.x % 2 == 0) {
    data[threadIdx.x] = 1;
    __syncthreads();
  } else {
    __syncthreads(); // another call, in the same warp
  }
}
// [end]

int main() {
  int* data = nullptr;
  if (cudaMalloc(&data, 64 * sizeof(int)) != cudaSuccess) return 1;
  cudaMemset(data, 0, 64 * sizeof(int));
  two_calls<<<1, 64>>>(data);
  return cudaDeviceSynchronize() != cudaSuccess;
}
