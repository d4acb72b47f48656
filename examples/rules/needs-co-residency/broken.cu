// [explain]
__global__ void pass(int* flag) {
  if (blockIdx.x == gridDim.x - 1) {
    atomicExch(flag, 1);
  } else if (threadIdx.x == 0) {
    while (atomicAdd(flag, 0) == 0) {} // the last block may not have been started
  }
}
// [end]

int main() {
  int* data = nullptr;
  if (cudaMalloc(&data, 64 * sizeof(int)) != cudaSuccess) return 1;
  cudaMemset(data, 0, 64 * sizeof(int));
  pass<<<256, 32>>>(data);
  return cudaDeviceSynchronize() != cudaSuccess;
}
