// Waiting longer and longer does not help where nobody comes.
#include "../../check_case.h"

__global__ void wait(int* flag, int* out) {
  unsigned nanoseconds = 8;
  while (atomicAdd(flag, 0) == 0) { // expect: livelock
    __nanosleep(nanoseconds);
    if (nanoseconds < 256) nanoseconds *= 2;
  }
  out[threadIdx.x] = 1;
}

int main() {
  wait<<<1, 32>>>(device_array<int>(1), device_array<int>(32));
  return finish();
}
