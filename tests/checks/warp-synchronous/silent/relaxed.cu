// Relaxed atomics with a warp barrier.
#include "../../check_case.h"
#include <cuda/atomic>

__global__ void rotate(int* slots, int* out) {
  const int t = threadIdx.x;
  cuda::atomic_ref<int, cuda::thread_scope_block> mine(slots[t]), next(slots[(t + 1) % 32]);
  mine.store(t, cuda::memory_order_relaxed);
  __syncwarp();
  out[t] = next.load(cuda::memory_order_relaxed);
}

int main() {
  rotate<<<1, 32>>>(device_array<int>(32), device_array<int>(32));
  return finish();
}
