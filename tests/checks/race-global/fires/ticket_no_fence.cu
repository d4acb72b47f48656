// A ticket lock that hands on without a fence.
#include "../../check_case.h"

__global__ void add(unsigned* next, volatile unsigned* serving, int* sum) {
  if (threadIdx.x != 0) return;
  const unsigned mine = atomicAdd(next, 1);
  while (*serving != mine) {
  }
  __threadfence();
  *sum += 1; // other: race-global
  *serving = mine + 1;
}

int main() {
  add<<<4, 32>>>(device_array<unsigned>(1), device_array<unsigned>(1), device_array<int>(1));
  return finish();
}
