// Everybody says that a round changed something.
#include "../../check_case.h"

__global__ void relax(const int* in, int* changed) {
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    if (in[i] % 2 == 0) *changed = 1; // other: race-same-value
}

int main() {
  relax<<<1, 64>>>(device_array<int>(256), device_array<int>(1));
  return finish();
}
