// The waiting blocks poll a volatile flag.
#include "../../check_case.h"

__global__ void kernel(int* flag) {
  volatile int* poll = flag;
  if (blockIdx.x == gridDim.x - 1)
    atomicExch(flag, 1);
  else if (threadIdx.x == 0)
    while (*poll == 0) {} // expect: needs-co-residency
}

int main() {
  kernel<<<140, 32>>>(device_array<int>(64));
  return finish();
}
