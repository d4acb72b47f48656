// ++ is a load and a store.
#include "../../check_case.h"

__global__ void count(int* counter) {
  if (threadIdx.x == 0) ++*counter;      // other: race-global
}

int main() {
  count<<<4, 32>>>(device_array<int>(1));
  return finish();
}
