#include "../../check_case.h"

__global__ void kernel() {}

void go_on() { kernel<<<1, 1>>>(); }
bool failed(cudaError_t status) { return status != cudaSuccess; }

int main() {
  int* array = nullptr;
  if (failed(cudaMalloc(&array, size_t(1) << 60))) cudaGetLastError(); // looked at
  go_on();
  cudaSetDevice(99);
  if (cudaPeekAtLastError() == cudaErrorInvalidDevice) cudaGetLastError();
  go_on();
  cudaEvent_t event{};
  cudaEventCreate(&event);
  go_on();
  cudaEventRecord(event);
  cudaEventQuery(event); // may say that it is not ready: an answer
  cudaStreamQuery(nullptr);
  go_on();
  cudaFree(nullptr); // allowed
  cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice); // nothing to copy
  go_on();
  cudaEventSynchronize(event);
  cudaEventDestroy(event);
  cudaMemset(device_array<int>(4), 0, 16);
  go_on();
  return finish();
}
