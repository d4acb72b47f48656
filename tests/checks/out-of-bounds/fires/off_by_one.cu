// The guard says <= where it means <.
#include "../../check_case.h"

__global__ void kernel(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) out[i] = i; // expect: out-of-bounds
}

int main() {
  kernel<<<4, 64>>>(device_array<int>(200), 200);
  return finish();
}
