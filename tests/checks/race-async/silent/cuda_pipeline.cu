// cuda::pipeline, four stages, shared by the block.
#include "../../check_case.h"
#include <cooperative_groups.h>
#include <cuda/pipeline>

__global__ void copy(const int* data, int* out, int rounds) {
  constexpr int stages = 4;
  __shared__ int tile[stages][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  auto block = cooperative_groups::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int sum = 0;
  for (int i = 0, filled = 0; i < rounds; ++i) {
    for (; filled < rounds && filled < i + stages; ++filled) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, tile[filled % stages], data + 64 * filled, cuda::aligned_size_t<4>(256), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += tile[i % stages][63 - threadIdx.x];
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

int main() {
  copy<<<1, 64>>>(device_array<int>(640), device_array<int>(64), 6);
  return finish();
}
