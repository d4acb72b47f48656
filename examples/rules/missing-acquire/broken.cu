// [explain]
__global__ void pass(int* box, int* flag) {
  if (blockIdx.x == 0) {
    *box = 42;
    __threadfence();
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0) {}
    *box += 1; // this read may be made before the flag was seen
  }
}
// [end]

int main() {
  int* data = nullptr;
  if (cudaMalloc(&data, 64 * sizeof(int)) != cudaSuccess) return 1;
  cudaMemset(data, 0, 64 * sizeof(int));
  pass<<<2, 1>>>(data, data + 32);
  return cudaDeviceSynchronize() != cudaSuccess;
}
