// The value is added by an atomic.
#include "../../check_case.h"

__global__ void kernel(int* data) {
  const int lane = threadIdx.x;
  if (lane % 2 == 0) {
    const int value = __shfl_xor_sync(0x55555555u, lane, 1); // expect: warp-inactive-source
    atomicAdd(data, value);
  }
}

int main() {
  kernel<<<1, 32>>>(device_array<int>(64));
  return finish();
}
