// Device and system scope include each other.
#include "../../check_case.h"

__global__ void count(int* counter) {
  if (blockIdx.x == 0)
    atomicAdd_system(counter, 1);
  else
    atomicAdd(counter, 1);
}

int main() {
  count<<<2, 32>>>(device_array<int>(1));
  return finish();
}
