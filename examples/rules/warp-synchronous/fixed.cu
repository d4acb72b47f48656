// [explain]
__global__ void reduce(int* data) {
  int sum = data[threadIdx.x];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
  data[threadIdx.x] = sum;
}
// [end]

int main() {
  int* data = nullptr;
  if (cudaMalloc(&data, 64 * sizeof(int)) != cudaSuccess) return 1;
  cudaMemset(data, 0, 64 * sizeof(int));
  reduce<<<1, 32>>>(data);
  return cudaDeviceSynchronize() != cudaSuccess;
}
