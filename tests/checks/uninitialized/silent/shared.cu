// Twins of fires/shared.cu.
#include "../../check_case.h"

__global__ void sum(int* out) {
  __shared__ int tile[64];
  if (threadIdx.x < 64) tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x] + 1;
}

__global__ void histogram(const unsigned char* data, int* bins) {
  __shared__ int h[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) h[i] = 0;
  __syncthreads();
  atomicAdd(&h[data[threadIdx.x]], 1);
  __syncthreads();
  if (h[threadIdx.x] > 0) atomicAdd(&bins[threadIdx.x], h[threadIdx.x]);
}

__global__ void dynamic(float* out) {
  extern __shared__ float values[];
  values[2 * threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = values[2 * threadIdx.x] * 2.0f;
}

__global__ void index(const int* data, int* out) {
  __shared__ unsigned char where[64];
  where[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = data[where[threadIdx.x]];
}

__global__ void second_block(int* out) {
  __shared__ int kept;
  if (threadIdx.x == 0) kept = 1;
  __syncthreads();
  out[blockIdx.x] = kept + 1;
}

int main() {
  sum<<<1, 64>>>(device_array<int>(64));
  histogram<<<1, 256>>>(device_array<unsigned char>(256), device_array<int>(256));
  dynamic<<<1, 64, 128 * sizeof(float)>>>(device_array<float>(64));
  index<<<1, 63>>>(device_array<int>(256), device_array<int>(64));
  second_block<<<2, 1>>>(device_array<int>(2));
  return finish();
}
