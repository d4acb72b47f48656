// Every thread of both blocks has read the element that one of them writes: the other block's read is not forgotten.
#include "../../check_case.h"

__global__ void broadcast(int* data, int* out) {
  int a = data[0]; // other: race-global
  __syncthreads();
  if (blockIdx.x == 1 && threadIdx.x == 0) data[0] = 7; // expect: race-global
  out[blockIdx.x * blockDim.x + threadIdx.x] = a;
}

__global__ void rows(int* data, int* out) {
  const int at = threadIdx.y * blockDim.x + threadIdx.x;
  int a = data[at]; // other: race-global
  __syncthreads();
  if (blockIdx.x == 1) data[at] = 7; // expect: race-global
  out[blockIdx.x * blockDim.x * blockDim.y + at] = a;
}

int main() {
  broadcast<<<2, 32>>>(device_array<int>(1), device_array<int>(64));
  rows<<<2, dim3(16, 4)>>>(device_array<int>(64), device_array<int>(128));
  return finish();
}
