// Neighbours exchange values by volatile accesses: unordered, and by the letter no race.
// options: --model ptx
#include "../../check_case.h"

__global__ void exchange(int* out) {
  __shared__ volatile int slot[32];
  slot[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = slot[threadIdx.x ^ 1];
}

int main() {
  exchange<<<1, 32>>>(device_array<int>(32));
  return finish();
}
