// options: --arch sm_80
// bfloat16 below sm_90: the header makes the loop.
#include "../../check_case.h"

#include <cuda_bf16.h>

__global__ void kernel(__nv_bfloat16* data) {
  atomicAdd(data, __nv_bfloat16(1.0f)); // expect: atomic-cas-loop race-cas-guess
}

int main() {
  kernel<<<1, 32>>>(device_array<__nv_bfloat16>(64));
  return finish();
}
