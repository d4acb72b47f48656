// An update of one element among many.
#include "../../check_case.h"

__global__ void scatter(unsigned long long* bins) {
  unsigned long long* bin = bins + threadIdx.x % 7;
  unsigned long long old = *bin, assumed; // other: race-cas-guess
  do {
    assumed = old;
    old = atomicCAS(bin, assumed, assumed * 3 + 1); // other: race-cas-guess
  } while (assumed != old);
}

int main() {
  scatter<<<2, 64>>>(device_array<unsigned long long>(7));
  return finish();
}
