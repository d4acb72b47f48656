// Values that nobody reads: overwritten, cast away, dropped by a function in between.
#include "../../check_case.h"

__global__ void kernel() {}

void go_on() { kernel<<<1, 1>>>(); }
__attribute__((noinline)) int* allocated() {
  int* array = nullptr;
  cudaMalloc(&array, size_t(1) << 60); // expect: api-error
  return array;
}

int main() {
  const int* array = allocated();
  go_on();
  (void)cudaSetDevice(99); // expect: api-error
  go_on();
  int host = 0;
  const int x = (cudaFree(&host), array == nullptr ? 5 : 1); // expect: api-error
  go_on();
  for (int i = 0; i < x; ++i) cudaMemset(nullptr, 0, 16); // expect: api-error
  go_on();
  return finish();
}
