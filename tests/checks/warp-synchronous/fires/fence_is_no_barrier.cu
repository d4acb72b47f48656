// A fence in place of the warp barrier.
#include "../../check_case.h"

__global__ void exchange(int* out) {
  __shared__ volatile int slot[32];
  slot[threadIdx.x] = threadIdx.x;       // other: warp-synchronous
  __threadfence_block();
  out[threadIdx.x] = slot[threadIdx.x ^ 1]; // other: warp-synchronous
}

int main() {
  exchange<<<1, 32>>>(device_array<int>(32));
  return finish();
}
