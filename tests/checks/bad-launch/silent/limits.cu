#include "../../check_case.h"

#include <numeric>

__global__ void plain() {}
__global__ void __launch_bounds__(128) bounded() {}
__global__ void with_static(int* out) {
  __shared__ int array[8192];
  array[threadIdx.x] = 1;
  out[threadIdx.x] = array[threadIdx.x];
}
// Many variables: what parts them does not count.
template <int N> __device__ int from_small() {
  __shared__ int a[3], b[5], c[7];
  a[0] = N, b[0] = N, c[0] = N;
  return a[0] + b[0] + c[0];
}
__global__ void many_variables(int* out) {
  __shared__ int array[12288 - 3 * 4 - 5 * 4 - 7 * 4];
  array[0] = from_small<1>() + from_small<2>() + from_small<3>() + from_small<4>();
  out[0] = array[0];
}
__global__ void together() {}
__global__ void dynamic(int* out) {
  extern __shared__ int memory[];
  memory[25599] = 1;
  out[0] = memory[25599];
}

int main() {
  plain<<<1, 1024>>>();
  plain<<<1, dim3(32, 32)>>>();
  plain<<<1, dim3(1, 1, 64)>>>();
  plain<<<dim3(1, 65535), 1>>>();
  plain<<<1, 32, 48 * 1024>>>();
  bounded<<<1, 128>>>();
  with_static<<<1, 32, 16 * 1024>>>(device_array<int>(32));
  many_variables<<<1, 1>>>(device_array<int>(1));
  int blocks = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, together, 32, 0);
  cudaLaunchCooperativeKernel(together, blocks, 32, nullptr, 0, nullptr);
  cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * 1024);
  dynamic<<<1, 1, 100 * 1024>>>(device_array<int>(1));
  return finish();
}
