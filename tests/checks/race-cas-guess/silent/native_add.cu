// The device's own atomicAdd for double.
#include "../../check_case.h"

__global__ void sum(double* total) { atomicAdd(total, double(threadIdx.x)); }

int main() {
  sum<<<2, 64>>>(device_array<double>(1));
  return finish();
}
