// float in global memory is one instruction.
#include "../../check_case.h"

__global__ void kernel(float* data) {
  atomicAdd(data, float(1)); 
}

int main() {
  kernel<<<1, 32>>>(device_array<float>(64));
  return finish();
}
