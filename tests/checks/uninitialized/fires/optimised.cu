// options: --as-built
#include "../../check_case.h"

__global__ void add(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x] + 1.0f; // expect: uninitialized
}

__global__ void sum(int* out) {
  __shared__ int tile[64];
  if (threadIdx.x < 32) tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  for (int step = 32; step > 0; step /= 2) {
    if (threadIdx.x < step) tile[threadIdx.x] += tile[threadIdx.x + step]; // expect: uninitialized
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = tile[0];
}

__global__ void histogram(const unsigned char* data) {
  __shared__ int h[256];
  atomicAdd(&h[data[threadIdx.x]], 1); // expect: uninitialized
}

__global__ void chosen(const int* in, int* out) {
  const int v = in[threadIdx.x]; // expect: uninitialized
  out[threadIdx.x] = v > 3 ? 1 : 2;
}

__global__ void address(const int* index, const int* in, int* out) {
  out[threadIdx.x] = in[index[threadIdx.x] & 31]; // expect: uninitialized
}

int main() {
  float* raw = nullptr;
  cudaMalloc(&raw, 64 * sizeof(float));
  add<<<1, 64>>>(raw, device_array<float>(64));
  sum<<<1, 64>>>(device_array<int>(1));
  histogram<<<1, 256>>>(device_array<unsigned char>(256));
  chosen<<<1, 32>>>(reinterpret_cast<int*>(raw), device_array<int>(32));
  address<<<1, 32>>>(reinterpret_cast<int*>(raw), device_array<int>(32), device_array<int>(32));
  return finish();
}
