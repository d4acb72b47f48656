// The host sets the flag and waits for the kernel at once: what was read before says nothing of what can still come.
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
  int* seen = nullptr;
  cudaHostGetDevicePointer(&seen, flag, 0);
  int* out = device_array<int>(128);
  for (int round = 0; round < 300; ++round) {
    *flag = 0;
    wait<<<2, 64>>>(seen, out);
    std::this_thread::sleep_for(std::chrono::microseconds(300 + 7 * round));
    *(volatile int*)flag = 1;
    if (cudaDeviceSynchronize() != cudaSuccess) break;
  }
  return finish();
}
