// printf from a kernel: in order within a thread, on standard output by the next synchronisation.
#include "check.h"

__global__ void hello(int n) {
  printf("thread %d of %d: %s %.2f\n", static_cast<int>(threadIdx.x), n, "text", threadIdx.x * 0.5);
}

int main() {
  hello<<<1, 2>>>(2);
  OK(cudaDeviceSynchronize());
  return pass();
}
