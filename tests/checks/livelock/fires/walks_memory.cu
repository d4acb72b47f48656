// A wait that looks through a whole array each time.
#include "../../check_case.h"

__global__ void wait(volatile int* flags, int* out) {
  int set = 0;
  do {
    for (int i = 0; i < 100; ++i) set += flags[i]; // expect: livelock
  } while (set == 0);
  out[threadIdx.x] = set;
}

int main() {
  wait<<<2, 32>>>(device_array<int>(100), device_array<int>(32));
  return finish();
}
