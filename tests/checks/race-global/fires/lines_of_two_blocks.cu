// Whole lines of global memory: both blocks add to the same ones. A block's own load and store of a line are in order.
// options: --as-built
#include "../../check_case.h"

__global__ void add(int* sums) {
  const int own = sums[threadIdx.x];      // other: race-global
  sums[threadIdx.x] = own + blockIdx.x;   // other: race-global
}

int main() {
  add<<<2, 64>>>(device_array<int>(64));
  return finish();
}
