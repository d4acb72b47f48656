// A copy in another stream sets the flag.
#include "../../check_case.h"

__global__ void wait(volatile int* flag, int* out) {
  while (*flag == 0) {}
  out[threadIdx.x] = 1;
}

int main() {
  int* flag = device_array<int>(1);
  int* out = device_array<int>(64);
  cudaStream_t one, other;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  int* set = nullptr;
  cudaMallocHost(&set, sizeof *set);
  *set = 1;
  wait<<<1, 64, 0, one>>>(flag, out);
  cudaMemcpyAsync(flag, set, sizeof *set, cudaMemcpyHostToDevice, other);
  return finish();
}
