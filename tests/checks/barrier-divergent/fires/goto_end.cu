// A goto past the barrier to the end of the kernel skips it: that is no early return.
#include "../../check_case.h"

__global__ void kernel(int* out, int n) {
  if (threadIdx.x >= n) goto end;
  out[threadIdx.x] = 1;
  __syncthreads(); // expect: barrier-divergent
  out[threadIdx.x] += 1;
end:;
}

int main() {
  kernel<<<1, 96>>>(device_array<int>(96), 50);
  return finish();
}
