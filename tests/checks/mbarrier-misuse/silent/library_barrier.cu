// The same with as many arrivals as there are threads, and a wait for one more that has a limit.
#include "../../check_case.h"

#include <cuda/barrier>
#include <cuda/std/chrono>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void meet(int* out) {
  __shared__ alignas(Barrier) char memory[2 * sizeof(Barrier)];
  auto* all = reinterpret_cast<Barrier*>(memory);
  if (threadIdx.x == 0) {
    init(all, blockDim.x);
    init(all + 1, blockDim.x + 1);
  }
  __syncthreads();
  all->arrive_and_wait();
  out[threadIdx.x] = all[1].try_wait_for(all[1].arrive(), cuda::std::chrono::milliseconds(500)) ? 1 : 2;
}

int main() {
  meet<<<1, 64>>>(device_array<int>(64));
  return finish();
}
