// The same with a relaxed read.
#include "../../check_case.h"
#include <cuda/atomic>

__global__ void maximum(const float* in, float* out) {
  int* bits = (int*)out;
  const float mine = in[threadIdx.x] + threadIdx.x;
  int old = cuda::atomic_ref<int, cuda::thread_scope_device>(*bits).load(cuda::memory_order_relaxed);
  while (__int_as_float(old) < mine) {
    const int assumed = old;
    old = atomicCAS(bits, assumed, __float_as_int(mine));
    if (old == assumed) break;
  }
}

int main() {
  maximum<<<2, 64>>>(device_array<float>(64), device_array<float>(1));
  return finish();
}
