// The same with a volatile read.
#include "../../check_case.h"

__device__ double add(double* address, double value) {
  unsigned long long* bits = (unsigned long long*)address;
  unsigned long long old = *(volatile unsigned long long*)bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}

__global__ void sum(double* total) { add(total, threadIdx.x); }

int main() {
  sum<<<2, 64>>>(device_array<double>(1));
  return finish();
}
