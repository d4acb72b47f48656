// The maximum of floats.
#include "../../check_case.h"

__global__ void maximum(const float* in, float* out) {
  int* bits = (int*)out;
  const float mine = in[threadIdx.x] + threadIdx.x;
  int old = *bits;    // other: race-cas-guess
  while (__int_as_float(old) < mine) {
    const int assumed = old;
    old = atomicCAS(bits, assumed, __float_as_int(mine));    // other: race-cas-guess
    if (old == assumed) break;
  }
}

int main() {
  maximum<<<2, 64>>>(device_array<float>(64), device_array<float>(1));
  return finish();
}
