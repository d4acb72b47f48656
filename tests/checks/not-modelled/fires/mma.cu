// A tensor-core instruction in inline assembly.
#include "../../check_case.h"

__global__ void kernel(float* out) {
  float c0 = 0, c1 = 0, c2 = 0, c3 = 0;
  const unsigned a = 0, b = 0;
  // clang-format off: one line, since nvcc gives an asm the line of its last operand
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4}, {%5}, {%0,%1,%2,%3};" : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3) : "r"(a), "r"(b)); // expect: not-modelled
  // clang-format on
  out[threadIdx.x] = c0 + c1 + c2 + c3;
}

int main() {
  kernel<<<1, 32>>>(device_array<float>(32));
  return finish();
}
