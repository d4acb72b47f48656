// [explain]
__global__ void pass(int* flag) {
  __shared__ int ticket;
  if (threadIdx.x == 0) ticket = atomicAdd(flag + 1, 1); // blocks are numbered as they start
  __syncthreads();
  if (ticket == 0) {
    atomicExch(flag, 1);
  } else if (threadIdx.x == 0) {
    while (atomicAdd(flag, 0) == 0) {} // waits for one that is running
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
