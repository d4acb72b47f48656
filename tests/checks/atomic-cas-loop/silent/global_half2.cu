// Two halves in global memory.
#include "../../check_case.h"

#include <cuda_fp16.h>

__global__ void kernel(half2* data) {
  atomicAdd(data, half2(half(1.0f), half(1.0f))); 
}

int main() {
  kernel<<<1, 32>>>(device_array<half2>(64));
  return finish();
}
