// Two named barriers: full and empty.
#include "../../check_case.h"

__global__ void pass_on(int* out) {
  __shared__ int slot[32];
  const int lane = threadIdx.x % 32;
  int sum = 0;
  for (int pass = 0; pass < 4; ++pass) {
    if (threadIdx.x < 32) {
      if (pass > 0) SYNC(2, 64);
      slot[lane] = pass;
      ARRIVE(1, 64);
    } else {
      SYNC(1, 64);
      sum += slot[31 - lane];
      if (pass < 3) ARRIVE(2, 64);
    }
  }
  if (threadIdx.x >= 32) out[lane] = sum;
}

int main() {
  pass_on<<<1, 64>>>(device_array<int>(32));
  return finish();
}
