// Relaxed atomics do not make lanes wait for each other.
#include "../../check_case.h"
#include <cuda/atomic>

__global__ void rotate(int* slots, int* out) {
  const int t = threadIdx.x;
  cuda::atomic_ref<int, cuda::thread_scope_block> mine(slots[t]), next(slots[(t + 1) % 32]);
  mine.store(t, cuda::memory_order_relaxed); // other: warp-synchronous
  out[t] = next.load(cuda::memory_order_relaxed); // other: warp-synchronous
}

int main() {
  rotate<<<1, 32>>>(device_array<int>(32), device_array<int>(32));
  return finish();
}
