// More blocks than the device holds wait for a flag that the host sets while they run.
#include "../../check_case.h"

#include <chrono>
#include <thread>

__global__ void kernel(volatile int* flag) {
  if (threadIdx.x == 0)
    while (*flag == 0) {}
}

int main() {
  int* flag = nullptr;
  if (cudaHostAlloc(&flag, sizeof(int), cudaHostAllocMapped) != cudaSuccess) return 1;
  *flag = 0;
  kernel<<<140, 32>>>(flag);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  *static_cast<volatile int*>(flag) = 1;
  return finish();
}
