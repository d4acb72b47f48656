// [explain]
#include <cuda_pipeline.h>

__global__ void reverse(int* data) {
  __shared__ int tile[64];
  __pipeline_memcpy_async(&tile[threadIdx.x], &data[threadIdx.x], sizeof(int));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  data[threadIdx.x] = tile[63 - threadIdx.x];
}
// [end]

int main() {
  int* data = nullptr;
  if (cudaMalloc(&data, 64 * sizeof(int)) != cudaSuccess) return 1;
  cudaMemset(data, 0, 64 * sizeof(int));
  reverse<<<1, 64>>>(data);
  return cudaDeviceSynchronize() != cudaSuccess;
}
