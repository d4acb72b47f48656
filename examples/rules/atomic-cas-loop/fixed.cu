// [explain]
__global__ void add(float* sum) {
  atomicAdd(sum, 1); // one instruction
}
// [end]

int main() {
  float* data = nullptr;
  if (cudaMalloc(&data, 2 * sizeof(float)) != cudaSuccess) return 1;
  cudaMemset(data, 0, 2 * sizeof(float));
  add<<<1, 32>>>(data);
  return cudaDeviceSynchronize() != cudaSuccess;
}
