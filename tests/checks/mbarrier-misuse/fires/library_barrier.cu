// cuda::barrier waits with a clock in its loop, and for one arrival more than there are threads.
#include "../../check_case.h"

#include <cuda/barrier>

__global__ void meet(int* out) {
  __shared__ alignas(8) char memory[sizeof(cuda::barrier<cuda::thread_scope_block>)];
  auto* all = reinterpret_cast<cuda::barrier<cuda::thread_scope_block>*>(memory);
  if (threadIdx.x == 0) init(all, blockDim.x + 1);
  __syncthreads();
  all->arrive_and_wait(); // expect: mbarrier-misuse
  out[threadIdx.x] = 1;
}

int main() {
  meet<<<1, 64>>>(device_array<int>(64));
  return finish();
}
