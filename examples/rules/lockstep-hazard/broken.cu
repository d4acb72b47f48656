// [explain]
__device__ int lock = 0;

__global__ void count(int* data) {
  while (atomicCAS(&lock, 0, 1) != 0) {} // the lane that holds the lock waits for its spinning neighbours
  __threadfence();
  ++*data;
  __threadfence();
  atomicExch(&lock, 0);
}
// [end]

int main() {
  int* data = nullptr;
  if (cudaMalloc(&data, 64 * sizeof(int)) != cudaSuccess) return 1;
  cudaMemset(data, 0, 64 * sizeof(int));
  count<<<1, 32>>>(data);
  return cudaDeviceSynchronize() != cudaSuccess;
}
