// A maximum over the grid, kept with block scope.
#include "../../check_case.h"

__global__ void maximum(const int* in, int* out) {
  atomicMax_block(out, in[threadIdx.x]); // other: race-scope
}

int main() {
  maximum<<<3, 64>>>(device_array<int>(64), device_array<int>(1));
  return finish();
}
