// The host sets the flag, after a while.
#include "../../check_case.h"

#include <chrono>
#include <thread>

__global__ void wait(volatile int* flag, int* out) {
  while (*flag == 0) {}
  out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

int main() {
  int* flag = nullptr;
  cudaHostAlloc(&flag, sizeof *flag, cudaHostAllocMapped);
  *flag = 0;
  int* seen = nullptr;
  cudaHostGetDevicePointer(&seen, flag, 0);
  wait<<<2, 64>>>(seen, device_array<int>(128));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  *(volatile int*)flag = 1;
  return finish();
}
