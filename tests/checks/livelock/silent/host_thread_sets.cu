// Another thread of the host sets the flag while the first waits for the kernel.
#include "../../check_case.h"

#include <chrono>
#include <thread>

__global__ void wait(volatile int* flag, int* out) {
  while (*flag == 0) {}
  out[threadIdx.x] = 1;
}

int main() {
  int* flag = nullptr;
  cudaMallocHost(&flag, sizeof *flag);
  *flag = 0;
  std::thread later([flag] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    *(volatile int*)flag = 1;
  });
  wait<<<1, 64>>>(flag, device_array<int>(64));
  const int code = finish();
  later.join();
  return code;
}
