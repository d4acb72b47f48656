// A lock of block scope that blocks share.
#include "../../check_case.h"
#include <cuda/atomic>

__global__ void add(int* lock, int* sum) {
  if (threadIdx.x != 0) return;
  cuda::atomic_ref<int, cuda::thread_scope_block> held(*lock);
  while (held.exchange(1, cuda::memory_order_acquire) == 1) {   // other: race-scope
  }
  *sum += 1; // expect: race-scope
  held.store(0, cuda::memory_order_release); // other: race-scope
}

int main() {
  add<<<4, 32>>>(device_array<int>(1), device_array<int>(1));
  return finish();
}
