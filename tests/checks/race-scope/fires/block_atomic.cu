// A cuda::atomic_ref of block scope on memory that two blocks share.
#include "../../check_case.h"
#include <cuda/atomic>

__global__ void count(int* counter) {
  cuda::atomic_ref<int, cuda::thread_scope_block> ref(*counter);
  ref.fetch_add(1, cuda::memory_order_relaxed); // other: race-scope
}

int main() {
  count<<<2, 1>>>(device_array<int>(1));
  return finish();
}
