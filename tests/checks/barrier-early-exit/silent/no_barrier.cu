// An early return with no barrier behind it.
#include "../../check_case.h"

__global__ void kernel(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = i;
}

int main() {
  kernel<<<4, 64>>>(device_array<int>(200), 200);
  return finish();
}
