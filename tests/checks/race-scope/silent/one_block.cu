// A launch of one block: its scope is everybody.
#include "../../check_case.h"

__global__ void count(int* counter) { atomicAdd_block(counter, 1); }

int main() {
  count<<<1, 256>>>(device_array<int>(1));
  return finish();
}
