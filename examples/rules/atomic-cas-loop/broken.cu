// [explain]
#include <cuda_bf16.h>

__global__ void add(__nv_bfloat16* sum) {
  atomicAdd(sum, __float2bfloat16(1)); // a loop of compare-and-swap
}
// [end]

int main() {
  __nv_bfloat16* data = nullptr;
  if (cudaMalloc(&data, 2 * sizeof(__nv_bfloat16)) != cudaSuccess) return 1;
  cudaMemset(data, 0, 2 * sizeof(__nv_bfloat16));
  add<<<1, 32>>>(data);
  return cudaDeviceSynchronize() != cudaSuccess;
}
