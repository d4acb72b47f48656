// A wait with an end: it looks long, but the count changes.
#include "../../check_case.h"

__global__ void wait(volatile int* flag, int* out) {
  int tries = 0;
  while (*flag == 0 && tries < 20000) ++tries;
  out[threadIdx.x] = tries;
}

int main() {
  wait<<<1, 32>>>(device_array<int>(1), device_array<int>(32));
  return finish();
}
