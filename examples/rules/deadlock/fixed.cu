// [explain]
__global__ void meet() {
  if (threadIdx.x < 32)
    asm volatile("bar.sync 1, 64;" ::: "memory");
  else
    asm volatile("bar.sync 1, 64;" ::: "memory"); // the same barrier: named ones may be called from several places
}
// [end]

int main() {
  int* data = nullptr;
  if (cudaMalloc(&data, 64 * sizeof(int)) != cudaSuccess) return 1;
  cudaMemset(data, 0, 64 * sizeof(int));
  meet<<<1, 64>>>();
  return cudaDeviceSynchronize() != cudaSuccess;
}
