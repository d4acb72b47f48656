// Block scope suffices for an element of the block itself.
#include "../../check_case.h"

__global__ void count(int* counters) { atomicAdd_block(&counters[blockIdx.x], 1); }

int main() {
  count<<<4, 64>>>(device_array<int>(4));
  return finish();
}
