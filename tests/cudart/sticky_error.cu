// After an illegal access every call returns the error. cudaGetLastError clears what it returns, not the failure.
#include "check.h"

__global__ void crash(int* p) { *p = 1; }

int main() {
  int* fine = nullptr;
  OK(cudaMalloc(&fine, 4));
  crash<<<1, 1>>>(nullptr);
  EXPECT(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT(cudaGetLastError(), cudaErrorIllegalAddress);
  OK(cudaGetLastError());
  EXPECT(cudaFree(fine), cudaErrorIllegalAddress);
  crash<<<1, 1>>>(fine);
  EXPECT(cudaPeekAtLastError(), cudaErrorIllegalAddress);
  return pass();
}
