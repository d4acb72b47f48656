// After an illegal access every call returns the error, and cudaGetLastError does not clear it.
#include "check.h"

__global__ void crash(int* p) { *p = 1; }

int main() {
  int* fine = nullptr;
  OK(cudaMalloc(&fine, 4));
  crash<<<1, 1>>>(nullptr);
  EXPECT(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT(cudaFree(fine), cudaErrorIllegalAddress);
  crash<<<1, 1>>>(fine);
  EXPECT(cudaPeekAtLastError(), cudaErrorIllegalAddress);
  return pass();
}
