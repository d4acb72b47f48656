// Each block waits for the one before it.
#include "../../check_case.h"

__global__ void kernel(int* flag) {
  const unsigned block = blockIdx.x;
  if (threadIdx.x != 0) return;
  if (block != 0)
    while (atomicAdd(flag + block - 1, 0) == 0) {}
  atomicExch(flag + block, 1);
}

int main() {
  kernel<<<150, 32>>>(device_array<int>(256));
  return finish();
}
