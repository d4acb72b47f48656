#include "../../check_case.h"

__global__ void kernel(int* out) {
  if (threadIdx.x == 5) __trap(); // expect: trap
  out[threadIdx.x] = 1;
}

int main() {
  kernel<<<2, 32>>>(device_array<int>(32));
  return finish();
}
