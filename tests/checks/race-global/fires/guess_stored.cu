// The guess for a compare-and-swap is used for something else as well.
#include "../../check_case.h"

__global__ void next(unsigned* counter, unsigned* out) {
  unsigned old = *counter;               // other: race-global
  out[blockIdx.x * blockDim.x + threadIdx.x] = old;
  atomicCAS(counter, old, old + 1);      // other: race-global
}

int main() {
  next<<<2, 64>>>(device_array<unsigned>(1), device_array<unsigned>(128));
  return finish();
}
