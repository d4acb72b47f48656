// The programming guide's atomicAdd for double.
#include "../../check_case.h"

__device__ double add(double* address, double value) {
  unsigned long long* bits = (unsigned long long*)address;
  unsigned long long old = *bits, assumed; // other: race-cas-guess
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __double_as_longlong(value + __longlong_as_double(assumed))); // other: race-cas-guess
  } while (assumed != old);
  return __longlong_as_double(old);
}

__global__ void sum(double* total) { add(total, threadIdx.x); }

int main() {
  sum<<<2, 64>>>(device_array<double>(1));
  return finish();
}
