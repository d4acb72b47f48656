// The value that a call returns is looked at, kept, or handed on to who looks at it: nothing calls cudaGetLastError().
#include "../../check_case.h"

__global__ void kernel() {}

void go_on() { kernel<<<1, 1>>>(); }
cudaError_t allocate(int** array) { return cudaMalloc(array, size_t(1) << 60); }
bool works(int** array) { return allocate(array) == cudaSuccess; }

int main() {
  int* array = nullptr;
  if (cudaMalloc(&array, size_t(1) << 60) != cudaSuccess) array = nullptr;
  go_on();
  if (!works(&array)) go_on();
  const cudaError_t kept = cudaSetDevice(99);
  go_on();
  int host = 0, clock = 0;
  cudaError_t status = cudaFree(&host);
  go_on();
  for (int device = 0; device < 3; ++device)
    if (cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, device) == cudaErrorInvalidDevice) break;
  go_on();
  switch (cudaMemset(nullptr, 0, 16)) {
  case cudaSuccess: return 1;
  default: break;
  }
  go_on();
  return kept != status ? finish() : finish();
}
