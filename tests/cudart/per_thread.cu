// -default-stream per-thread: stream 0 is the thread's own and takes no turns with other threads' streams.
#include "check.h"

#include <thread>

__global__ void wait_for(volatile int* flag) {
  while (*flag == 0) {}
}
__global__ void add(int* p, int value) { *p += value; }

int main() {
  int *flag = nullptr, *p = nullptr;
  OK(cudaHostAlloc(&flag, sizeof(int), cudaHostAllocMapped));
  OK(cudaMalloc(&p, sizeof(int)));
  *flag = 0;
  OK(cudaMemset(p, 0, sizeof(int)));
  wait_for<<<1, 1>>>(flag);
  EXPECT(cudaStreamQuery(nullptr), cudaErrorNotReady);
  // The other thread's copies pass by the waiting kernel of this one.
  std::thread other([&] {
    int value = -1;
    const int three = 3;
    OK(cudaMemcpy(p, &three, sizeof three, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost));
    CHECK(value == 3);
  });
  other.join();
  *static_cast<volatile int*>(flag) = 1;
  add<<<1, 1>>>(p, 4);
  int value = -1;
  OK(cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost));
  CHECK(value == 7);
  OK(cudaFreeHost(flag));
  OK(cudaFree(p));
  return pass();
}
