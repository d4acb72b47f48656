// A ticket lock with a fence on both sides.
#include "../../check_case.h"

__global__ void add(unsigned* next, volatile unsigned* serving, int* sum) {
  if (threadIdx.x != 0) return;
  const unsigned mine = atomicAdd(next, 1);
  while (*serving != mine) {
  }
  __threadfence();
  *sum += 1;
  __threadfence();
  *serving = mine + 1;
}

int main() {
  add<<<4, 32>>>(device_array<unsigned>(1), device_array<unsigned>(1), device_array<int>(1));
  return finish();
}
