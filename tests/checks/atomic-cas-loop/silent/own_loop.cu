// A loop of the program's own is no news to its author.
#include "../../check_case.h"

__global__ void kernel(int* data) {
  int old = 0, seen = atomicAdd(data, 0);
  do {
    old = seen;
    seen = atomicCAS(data, old, max(old, int(threadIdx.x)));
  } while (seen != old);
}

int main() {
  kernel<<<1, 32>>>(device_array<int>(1));
  return finish();
}
