// [explain]
__device__ __noinline__ int sum_to(int n, int* steps) {
  if (n == 0) return 0;
  ++*steps;
  return n + sum_to(n - 1, steps); // a frame for each n
}
__global__ void sum(int* data, int n) { data[0] = sum_to(n, data + 1); }
// [end]

int main() {
  int* data = nullptr;
  if (cudaMalloc(&data, 64 * sizeof(int)) != cudaSuccess) return 1;
  cudaMemset(data, 0, 64 * sizeof(int));
  sum<<<1, 1>>>(data, 1000000);
  return cudaDeviceSynchronize() != cudaSuccess;
}
