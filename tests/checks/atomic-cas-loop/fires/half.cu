// A single half has no instruction in any memory.
#include "../../check_case.h"

#include <cuda_fp16.h>

__global__ void kernel(half* data) {
  atomicAdd(data, half(1.0f)); // expect: atomic-cas-loop
}

int main() {
  kernel<<<1, 32>>>(device_array<half>(64));
  return finish();
}
