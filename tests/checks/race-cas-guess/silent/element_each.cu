// Nobody else updates what a thread reads and swaps.
#include "../../check_case.h"

__global__ void update(int* own) {
  int* mine = own + blockIdx.x * blockDim.x + threadIdx.x;
  int old = *mine, assumed;
  do {
    assumed = old;
    old = atomicCAS(mine, assumed, assumed + 1);
  } while (assumed != old);
}

int main() {
  update<<<2, 64>>>(device_array<int>(128));
  return finish();
}
