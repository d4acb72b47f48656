#include "../../check_case.h"

__global__ void kernel(int* out, int n) {
  if (threadIdx.x >= n) __trap();
  out[threadIdx.x] = 1;
}

int main() {
  kernel<<<2, 32>>>(device_array<int>(32), 32);
  return finish();
}
