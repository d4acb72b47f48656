// [explain]
__global__ void find(int* found, const int* data) {
  if (data[threadIdx.x] == 0) atomicExch(found, 1);
}
// [end]

int main() {
  int* data = nullptr;
  if (cudaMalloc(&data, 256 * sizeof(int)) != cudaSuccess) return 1;
  cudaMemset(data, 0, 256 * sizeof(int));
  find<<<2, 64>>>(data, data + 1);
  return cudaDeviceSynchronize() != cudaSuccess;
}
