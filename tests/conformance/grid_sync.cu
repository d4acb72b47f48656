// Cooperative launch: barriers over the whole grid.
#include "conformance.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// Each round, block b adds to its own word what its right neighbour had in the round before.
__global__ void rounds(int* even, int* odd, int count, int* errors) {
  cg::grid_group grid = cg::this_grid();
  for (int round = 0; round < count; ++round) {
    volatile int* from = round % 2 ? odd : even;
    volatile int* to = round % 2 ? even : odd;
    if (threadIdx.x == 0) to[blockIdx.x] = from[(blockIdx.x + 1) % gridDim.x] + 1;
    grid.sync();
    if (to[(blockIdx.x + threadIdx.x) % gridDim.x] != round + 1) atomicAdd(errors, 1);
  }
}

CASE(hundred_grid_syncs, "100 grid syncs in a cooperative launch") {
  int per_processor = 0, processors = 0;
  CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, rounds, 64, 0));
  CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  int blocks = per_processor * processors;
  if (blocks > 16) blocks = 16;
  EXPECT(blocks >= 2);
  Buffer<int> even(blocks), odd(blocks), errors(1);
  int *even_words = even.device(), *odd_words = odd.device(), *error_word = errors.device(), count = 100;
  void* arguments[] = {&even_words, &odd_words, &count, &error_word};
  CUDA(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(rounds), dim3(blocks), dim3(64), arguments, 0, nullptr));
  FINISH();
  EXPECT(errors.fetch()[0] == 0);
  EXPECT(all_equal(even.fetch(), 100));
  return true;
}
