// A ticket lock: tickets are atomic, the counter is served by volatile accesses and fences.
#include "../../check_case.h"

__global__ void kernel(int* ticket, volatile int* serving, int* count) {
  if (threadIdx.x != 0) return;
  const int mine = atomicAdd(ticket, 1);
  while (*serving != mine) {
  }
  __threadfence();
  *count = *count + 1;
  __threadfence();
  *serving = mine + 1;
}

int main() {
  kernel<<<6, 32>>>(device_array<int>(1), device_array<int>(1), device_array<int>(1));
  return finish();
}
