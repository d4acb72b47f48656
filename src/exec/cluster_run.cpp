#include "exec/cluster_run.h"

#include <algorithm>
#include <bit>

namespace tollgate::exec {

using simd::BarrierOp;
using simd::Group;
using simd::kAllLanes;
using simd::StopKind;
using simd::WarpContext;

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

// --- a block's part: lanes arrive, go on, and wait later

void BlockRun::note_cluster(observe::ClusterBarrierOp op, unsigned index, const Group& group, uint32_t out_of_turn) {
  if (!observed(observe::BarrierEvents)) return;
  const observe::ClusterBarrierEvent event{
      ref(), op, index, group.mask, group.site, (group.c & uint32_t(BarrierOp::Relaxed)) == 0, out_of_turn};
  for (observe::Observer* o : launch_.config->observers) o->on_cluster_barrier(event);
}

void BlockRun::arrive_at_cluster(unsigned index, const Group& group) {
  Warp& warp = warps_[index];
  note_cluster(observe::ClusterBarrierOp::Arrive, index, group, group.mask & warp.cluster_due);
  const uint32_t fresh = group.mask & ~warp.cluster_arrived;
  warp.cluster_arrived |= group.mask;
  warp.cluster_due |= group.mask;
  Group go = group;
  go.kind = StopKind::Ready;
  go.b = 0;
  add_ready(*warp.context, go);
  cluster_.count_arrivals(unsigned(std::popcount(fresh)));
  cluster_.check_barrier();
}

// Whoever has not arrived in the present phase waits for the last one, which is complete.
void BlockRun::wait_for_cluster(unsigned index, const Group& group) {
  Warp& warp = warps_[index];
  WarpContext& w = *warp.context;
  Group part = group;
  part.mask = group.mask & warp.cluster_arrived;
  if (part.mask != 0) w.groups[w.group_count++] = part;
  part.mask = group.mask & ~warp.cluster_arrived;
  if (part.mask == 0) return;
  note_cluster(observe::ClusterBarrierOp::Wait, index, part, part.mask & ~warp.cluster_due);
  warp.cluster_due &= ~part.mask;
  part.kind = StopKind::Ready;
  part.b = 0;
  add_ready(w, part);
}

bool BlockRun::waits_for_cluster() const {
  for (const Warp& warp : warps_)
    for (unsigned g = 0; g < warp.context->group_count; ++g)
      if (warp.context->groups[g].kind == StopKind::Barrier && warp.context->groups[g].a == simd::kClusterBarrier)
        return true;
  return false;
}

bool BlockRun::has_arrived_at_cluster() const {
  for (const Warp& warp : warps_)
    if ((warp.cluster_arrived | warp.context->exited) != kAllLanes) return false;
  return true;
}

void BlockRun::note_cluster_complete() { note_cluster(observe::ClusterBarrierOp::Complete, 0, Group(), 0); }

void BlockRun::release_from_cluster() {
  for (unsigned i = 0; i < warps_.size(); ++i) {
    const WarpContext& w = *warps_[i].context;
    warps_[i].cluster_arrived = 0;
    for (unsigned g = 0; g < w.group_count; ++g) {
      const Group& group = w.groups[g];
      if (group.kind != StopKind::Barrier || group.a != simd::kClusterBarrier) continue;
      note_cluster(observe::ClusterBarrierOp::Wait, i, group, 0);
      warps_[i].cluster_due &= ~group.mask;
    }
    release(i, simd::kClusterBarrier);
  }
  progressed_ = true;
}

} // namespace tollgate::exec
