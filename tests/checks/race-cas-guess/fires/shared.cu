// In shared memory.
#include "../../check_case.h"

__global__ void product(float* out) {
  __shared__ int bits;
  if (threadIdx.x == 0) bits = __float_as_int(1);
  __syncthreads();
  int old = bits, assumed;               // other: race-cas-guess
  do {
    assumed = old;
    old = atomicCAS(&bits, assumed, __float_as_int(__int_as_float(assumed) * 2)); // other: race-cas-guess
  } while (assumed != old);
  __syncthreads();
  if (threadIdx.x == 0) *out = __int_as_float(bits);
}

int main() {
  product<<<1, 64>>>(device_array<float>(1));
  return finish();
}
