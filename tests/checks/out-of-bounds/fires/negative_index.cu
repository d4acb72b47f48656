// The left neighbour of the first element.
#include "../../check_case.h"

__global__ void kernel(const int* in, int* out) {
  const int i = threadIdx.x;
  const int left = in[i - 1]; // expect: out-of-bounds
  out[i] = left + 1;
}

int main() {
  kernel<<<1, 64>>>(device_array<int>(64), device_array<int>(64));
  return finish();
}
