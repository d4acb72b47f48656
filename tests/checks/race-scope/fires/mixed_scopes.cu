// One block counts with block scope, the other with device scope.
#include "../../check_case.h"

__global__ void count(int* counter) {
  if (blockIdx.x == 0)
    atomicAdd_block(counter, 1);         // other: race-scope
  else
    atomicAdd(counter, 1);               // other: race-scope
}

int main() {
  count<<<2, 32>>>(device_array<int>(1));
  return finish();
}
