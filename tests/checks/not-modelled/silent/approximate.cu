// Approximate arithmetic within the manual's stated error counts as modelled.
#include "../../check_case.h"

__global__ void kernel(float* out) {
  const float x = threadIdx.x * 0.1f + 0.5f;
  out[threadIdx.x] = __sinf(x) + __expf(x) + __log2f(x) + rsqrtf(x) + __fdividef(x, 3.0f) + tanhf(x);
}

int main() {
  kernel<<<1, 32>>>(device_array<float>(32));
  return finish();
}
