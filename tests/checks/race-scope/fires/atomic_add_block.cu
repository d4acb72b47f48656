// atomicAdd_block is atomic among the threads of one block.
#include "../../check_case.h"

__global__ void count(int* counter) {
  atomicAdd_block(counter, 1);           // other: race-scope
}

int main() {
  count<<<2, 32>>>(device_array<int>(1));
  return finish();
}
