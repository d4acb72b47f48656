// A fetch from a texture object.
#include "../../check_case.h"

__global__ void kernel(unsigned long long texture, float* out) {
  float x, y, z, w;
  // clang-format off: one line, since nvcc gives an asm the line of its last operand
  asm volatile("tex.1d.v4.f32.s32 {%0,%1,%2,%3}, [%4, {%5}];" : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(texture), "r"(threadIdx.x)); // expect: not-modelled
  // clang-format on
  out[threadIdx.x] = x + y + z + w;
}

int main() {
  kernel<<<1, 32>>>(0, device_array<float>(32));
  return finish();
}
