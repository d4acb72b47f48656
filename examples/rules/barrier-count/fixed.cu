// [explain]
__global__ void pairs() {
  asm volatile("bar.sync 1, 64;" ::: "memory");
}
// [end]

int main() {
  int* data = nullptr;
  if (cudaMalloc(&data, 64 * sizeof(int)) != cudaSuccess) return 1;
  cudaMemset(data, 0, 64 * sizeof(int));
  pairs<<<1, 64>>>();
  return cudaDeviceSynchronize() != cudaSuccess;
}
