// An instruction that is not modelled does no harm while nobody runs it.
#include "../../check_case.h"

__global__ void kernel(float* out, bool tensor) {
  float c0 = 1, c1 = 2, c2 = 3, c3 = 4;
  if (tensor) {
    const unsigned a = 0, b = 0;
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4}, {%5}, {%0,%1,%2,%3};"
                 : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3)
                 : "r"(a), "r"(b));
  }
  out[threadIdx.x] = c0 + c1 + c2 + c3;
}

int main() {
  kernel<<<1, 32>>>(device_array<float>(32), false);
  return finish();
}
