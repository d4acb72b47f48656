// cuda::atomic_ref with memory_order_relaxed.
#include "../../check_case.h"
#include <cuda/atomic>

__global__ void pass(int* data, int* flag, int* out) {
  if (blockIdx.x == 0) {
    *data = 42;                          // other: missing-acquire
    __threadfence();
    atomicExch(flag, 1);
  } else {
    cuda::atomic_ref<int, cuda::thread_scope_device> ref(*flag);
    while (ref.load(cuda::memory_order_relaxed) == 0) { // other: missing-acquire
    }
    *out = *data;                        // other: missing-acquire
  }
}

int main() {
  pass<<<2, 1>>>(device_array<int>(1), device_array<int>(1), device_array<int>(1));
  return finish();
}
