#include "exec/cluster_run.h"

#include <algorithm>

namespace tollgate::exec {

ClusterRun::ClusterRun(Launch& launch, unsigned worker) : launch_(launch) {
  const uint64_t shared = std::max<uint64_t>(launch.shared_bytes(), 16);
  const bool alone = launch.cluster_size == 1;
  slabs_ = alone ? launch.memory->acquire_shared_slab(shared)
                 : launch.memory->acquire_cluster_slabs(launch.cluster_size, shared);
  if (slabs_ == 0) return;
  for (unsigned rank = 0; rank < launch.cluster_size; ++rank) {
    const uint64_t slab = slabs_ + (alone ? 0 : cluster_slot(rank) - cluster_slot(0));
    blocks_.push_back(std::make_unique<BlockRun>(launch, worker, *this, rank, slab, slabs_));
  }
}

ClusterRun::~ClusterRun() {
  if (slabs_ != 0) launch_.memory->release_shared_slab(slabs_);
}

bool ClusterRun::has_memory() const {
  return slabs_ != 0 && std::ranges::all_of(blocks_, [](const auto& block) { return block->has_memory(); });
}

void ClusterRun::start(uint64_t cluster) {
  arrived_ = 0;
  left_ = 0;
  const auto& grid = launch_.config->grid;
  const auto& extent = launch_.config->cluster;
  const uint64_t wide = grid[0] / extent[0], high = grid[1] / extent[1];
  const uint64_t x = cluster % wide * extent[0], y = cluster / wide % high * extent[1],
                 z = cluster / (wide * high) * extent[2];
  for (unsigned rank = 0; rank < size(); ++rank) {
    if (size() > 1) launch_.memory->set_slab_live(blocks_[rank]->slab(), true);
    const uint64_t bx = x + rank % extent[0], by = y + rank / extent[0] % extent[1],
                   bz = z + rank / (extent[0] * extent[1]);
    blocks_[rank]->start(bx + grid[0] * (by + grid[1] * bz));
  }
}

bool ClusterRun::leave(BlockRun& block) {
  ++left_;
  if (left_ == size()) return true;
  check_barrier();
  launch_.memory->set_slab_live(block.slab(), false);
  return false;
}

bool ClusterRun::is_stuck(const BlockRun& block) const {
  return !block.waits_for_cluster() ||
         std::ranges::none_of(blocks_, [](const auto& other) { return other->can_run(); });
}

BlockRun& ClusterRun::culprit(BlockRun& found) const {
  for (const auto& block : blocks_)
    if (block->waits_within()) return *block;
  return found;
}

bool ClusterRun::all_arrived() const {
  uint64_t live = 0;
  for (const auto& block : blocks_) live += block->live_threads();
  return arrived_ >= live &&
         std::ranges::all_of(blocks_, [](const auto& block) { return block->has_arrived_at_cluster(); });
}

// Threads that have left do not hold the others up (PTX ISA, barrier.cluster: all non-exited threads).
void ClusterRun::check_barrier() {
  if (arrived_ == 0 || !all_arrived()) return;
  arrived_ = 0;
  for (const auto& block : blocks_) block->note_cluster_complete();
  for (const auto& block : blocks_) block->release_from_cluster();
}

} // namespace tollgate::exec
