// The time is measured, and ends nothing.
#include "../../check_case.h"

__global__ void wait(volatile int* flag, long long* waited) {
  const long long start = clock64();
  while (*flag == 0) // expect: livelock
    waited[threadIdx.x] = clock64() - start;
}

int main() {
  wait<<<1, 32>>>(device_array<int>(1), device_array<long long>(32));
  return finish();
}
