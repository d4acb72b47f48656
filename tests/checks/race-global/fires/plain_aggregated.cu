// The leaders of the warps add without an atomic.
#include "../../check_case.h"
#include <cooperative_groups.h>

__global__ void filter(const int* in, int* out, int* count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] % 3 == 0) {
    auto active = cooperative_groups::coalesced_threads();
    int base = 0;
    if (active.thread_rank() == 0) {
      base = *count; *count = base + active.size(); // other: race-global
    }
    out[active.shfl(base, 0) + active.thread_rank()] = i;
  }
}

int main() {
  filter<<<1, 64>>>(device_array<int>(64), device_array<int>(64), device_array<int>(1));
  return finish();
}
