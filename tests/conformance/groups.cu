// Cooperative groups below the grid: blocks, tiles, coalesced and partitioned groups.
#include "conformance.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

#define WRONG_IF(condition)                                                                                            \
  do {                                                                                                                 \
    if (condition) atomicAdd(errors, 1);                                                                               \
  } while (0)

template <int SIZE> __device__ void tile_of(int* errors) {
  const cg::thread_block block = cg::this_thread_block();
  const cg::thread_block_tile<SIZE> tile = cg::tiled_partition<SIZE>(block);
  const int rank = tile.thread_rank(), first = threadIdx.x / SIZE * SIZE;
  WRONG_IF(rank != threadIdx.x % SIZE || tile.size() != SIZE || tile.meta_group_rank() != threadIdx.x / SIZE);
  WRONG_IF(tile.shfl(static_cast<int>(threadIdx.x), 0) != first);
  WRONG_IF(tile.any(rank == SIZE - 1) != true || tile.all(rank > 0) != false);
  WRONG_IF(tile.ballot(rank == 0) != 1u);
  WRONG_IF(cg::reduce(tile, rank, cg::plus<int>()) != SIZE * (SIZE - 1) / 2);
  WRONG_IF(cg::reduce(tile, 3.0f * rank, cg::greater<float>()) != 3.0f * (SIZE - 1));
  WRONG_IF(cg::exclusive_scan(tile, 2) != 2 * rank || cg::inclusive_scan(tile, 2) != 2 * rank + 2);
  tile.sync();
}

__global__ void tiles(int* errors) {
  tile_of<4>(errors);
  tile_of<8>(errors);
  tile_of<16>(errors);
  tile_of<32>(errors);
}

__global__ void divergent_tiles(int* errors) {
  const cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
  int turns = 0; // each tile goes its own number of rounds
  for (int i = 0; i <= static_cast<int>(tile.meta_group_rank()); ++i) {
    turns += cg::reduce(tile, 1, cg::plus<int>());
    tile.sync();
  }
  WRONG_IF(turns != 8 * (static_cast<int>(tile.meta_group_rank()) + 1));
}

__global__ void partitions(int* errors) {
  const int lane = threadIdx.x % 32;
  const cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
  const auto same = cg::labeled_partition(warp, lane % 5);
  WRONG_IF(same.size() != (lane % 5 < 2 ? 7 : 6) || same.thread_rank() != lane / 5);
  WRONG_IF(same.shfl(lane, 0) != lane % 5);
  const auto half = cg::binary_partition(warp, lane < 10);
  WRONG_IF(half.size() != (lane < 10 ? 10 : 22));
  if (lane % 4 == 1) {
    const cg::coalesced_group together = cg::coalesced_threads(); // at least this thread; the hardware may part others
    WRONG_IF(together.size() < 1 || together.size() > 8 || together.shfl(7, 0) != 7);
  }
}

__global__ void block_groups(int* errors) {
  __shared__ int words[96];
  const cg::thread_block block = cg::this_thread_block();
  words[block.thread_rank()] = block.thread_rank();
  block.sync();
  WRONG_IF(words[95 - block.thread_rank()] != 95 - block.thread_rank() || block.size() != 96);
  block.sync();
  WRONG_IF(block.group_index().x != blockIdx.x || block.thread_index().x != threadIdx.x);
  words[block.thread_rank()] = -1;
  auto token = block.barrier_arrive(); // goes on at once, and waits later
  const int own = block.thread_rank() * 2;
  block.barrier_wait(static_cast<cg::thread_block::arrival_token&&>(token));
  WRONG_IF(words[95 - own / 2] != -1);
}

static bool holds(void (*kernel)(int*)) {
  Buffer<int> errors(1);
  kernel<<<2, 96>>>(errors.device());
  FINISH();
  EXPECT(errors.fetch()[0] == 0);
  return true;
}

CASE(group_tiles, "tiles of 4, 8, 16 and 32: shuffle, vote, reduce, scan") { return holds(tiles); }
CASE(group_tiles_divergent, "tiles of one warp that go their own number of rounds") { return holds(divergent_tiles); }
CASE(group_partitions, "labelled and binary partitions, coalesced threads") { return holds(partitions); }
CASE(group_blocks, "thread_block: sync, arrive and wait") { return holds(block_groups); }
