#include "../../check_case.h"

__global__ void kernel() {}

void go_on() { kernel<<<1, 1>>>(); }

int main() {
  int* array = nullptr;
  cudaMalloc(&array, size_t(1) << 60); // expect: api-error
  go_on();
  int host[4] = {};
  cudaMemcpy(device_array<int>(2), host, sizeof host, cudaMemcpyHostToDevice); // expect: api-error
  go_on();
  cudaFree(host); // expect: api-error
  go_on();
  cudaSetDevice(99); // expect: api-error
  go_on();
  cudaMemset(nullptr, 0, 16); // expect: api-error
  go_on();
  cudaStreamWaitEvent(nullptr, nullptr); // expect: api-error
  go_on();
  kernel<<<1, 2000>>>(); // expect: api-error bad-launch
  go_on();
  return finish();
}
