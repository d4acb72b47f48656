// Why an update must be indivisible: counter++ against atomicAdd.
//
// Shows: `++` is a load, an add and a store. Threads that load the same old value all store the same new one, and
// all but one of their updates are lost. atomicAdd makes the three steps one.
//
// Prints: two lines, the first with a number below 65536 that differs from device to device:
//   plain ++   : N of 65536 (updates were lost)
//   atomicAdd  : 65536 of 65536
#include "cuda_check.h"

__global__ void add_plain(int* counter) { ++*counter; } // WRONG on purpose: a race

__global__ void add_atomic(int* counter) { atomicAdd(counter, 1); }

static int count(void (*kernel)(int*)) {
  int* counter = nullptr;
  int result = 0;
  CUDA_CHECK(cudaMalloc(&counter, sizeof(int)));
  CUDA_CHECK(cudaMemset(counter, 0, sizeof(int)));
  kernel<<<256, 256>>>(counter);
  CUDA_CHECK_KERNEL();
  CUDA_CHECK(cudaMemcpy(&result, counter, sizeof(int), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(counter));
  return result;
}

int main() {
  constexpr int expected = 256 * 256;
  const int plain = count(add_plain);
  const int atomic = count(add_atomic);
  std::printf("plain ++   : %d of %d%s\n", plain, expected, plain < expected ? " (updates were lost)" : "");
  std::printf("atomicAdd  : %d of %d\n", atomic, expected);
  return plain < expected && atomic == expected ? 0 : 1;
}
