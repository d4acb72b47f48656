// Where the threads of a block wait for each other: barriers of the block, and of a warp.
#include "exec/block_run.h"

#include <bit>

namespace tollgate::exec {

using simd::BarrierOp;
using simd::Group;
using simd::kAllLanes;
using simd::kLanes;
using simd::StopKind;
using simd::WarpContext;

// --- block barriers (PTX ISA 9.7.13.1) ------------------------------------------------------------------------------

void BlockRun::arrive(unsigned index, Group& group) {
  if (group.a == simd::kClusterBarrier)
    return BarrierOp(group.c & 7) == BarrierOp::Arrive ? arrive_at_cluster(index, group)
                                                       : wait_for_cluster(index, group);
  WarpContext& w = *warps_[index].context;
  uint32_t id = slot_of(group.a);
  Barrier& b = barriers_[id];
  if (!b.open) {
    b.open = true;
    ++open_barriers_;
    b.expected = group.b;
    b.threads = 0;
    b.popc = 0;
    b.all = 1;
    b.any = 0;
  }
  auto op = BarrierOp(group.c & 7);
  if (observed(observe::BarrierEvents)) {
    observe::BarrierArrival event{ref(),
                                  index,
                                  group.mask,
                                  group.site,
                                  id,
                                  group.b,
                                  observe::BarrierKind(uint8_t(op)),
                                  (group.c & uint32_t(BarrierOp::Unaligned)) == 0,
                                  group.a};
    b.arrivals.push_back(event);
    for (observe::Observer* o : launch_.listeners.barriers) o->on_barrier_arrival(event);
  }
  b.threads += unsigned(std::popcount(group.mask & ~b.arrived[index]));
  b.arrived[index] |= group.mask;
  uint32_t yes = group.predicate & group.mask;
  b.popc += unsigned(std::popcount(yes));
  b.all &= yes == group.mask;
  b.any |= yes != 0;
  if (op == BarrierOp::Arrive) {
    Group go = group;
    go.kind = StopKind::Ready;
    go.b = 0;
    add_ready(w, go);
  } else {
    w.groups[w.group_count++] = group;
  }
  check_barrier(id);
}

bool BlockRun::check_barrier(uint32_t id) {
  Barrier& b = barriers_[id];
  if (!b.open) return false;
  uint64_t threads = 0;
  if (b.expected == 0) {
    // All threads that have not left the kernel. Those that only arrived may have left since: then count anew.
    if (b.threads < live_threads_) return false;
    for (unsigned i = 0; b.threads != live_threads_ && i < warps_.size(); ++i)
      if ((b.arrived[i] | warps_[i].context->exited) != kAllLanes) return false;
  } else {
    // A warp counts as a whole when all its lanes that are left have arrived.
    for (unsigned i = 0; i < warps_.size(); ++i) {
      if (b.arrived[i] == 0) continue;
      uint32_t all = b.arrived[i] | warps_[i].context->exited;
      threads += all == kAllLanes ? kLanes : unsigned(std::popcount(b.arrived[i]));
    }
    if (threads < b.expected) return false;
  }
  complete_barrier(id);
  return true;
}

void BlockRun::check_all_barriers() {
  for (uint32_t id = 0; id < 16; ++id) check_barrier(id);
}

void BlockRun::complete_barrier(uint32_t id) {
  Barrier& b = barriers_[id];
  if (observed(observe::BarrierEvents)) {
    std::vector<uint32_t> exited;
    for (const Warp& warp : warps_) exited.push_back(warp.context->exited & warp.context->present);
    observe::BarrierCompletion event{ref(), id, b.expected, b.arrivals, exited};
    for (observe::Observer* o : launch_.listeners.barriers) o->on_barrier_completion(event);
    b.arrivals.clear();
  }
  for (unsigned i = 0; i < warps_.size(); ++i) release(i, id);
  std::fill(b.arrived.begin(), b.arrived.end(), 0);
  b.open = false;
  --open_barriers_;
  progressed_ = true;
}

// All lanes of the warp that wait at this barrier.
void BlockRun::release(unsigned index, uint32_t id) {
  WarpContext& w = *warps_[index].context;
  for (unsigned i = 0; i < w.group_count; ++i) {
    Group& g = w.groups[i];
    if (g.kind != StopKind::Barrier || (g.a == simd::kClusterBarrier ? g.a : slot_of(g.a)) != id) continue;
    auto op = BarrierOp(g.c & 7);
    if (op != BarrierOp::Sync) {
      const Barrier& b = barriers_[id];
      uint32_t result = op == BarrierOp::RedPopc ? b.popc : op == BarrierOp::RedAnd ? b.all : b.any;
      for (uint32_t left = g.mask; left != 0; left &= left - 1) w.barrier_result[std::countr_zero(left)] = result;
    }
    g.kind = StopKind::Ready;
    g.b = 0;
    // Lanes released together at one place go on together.
    for (unsigned k = 0; k < i; ++k) {
      Group& other = w.groups[k];
      if (other.runnable() && other.label == g.label && other.depth == g.depth && other.function == g.function) {
        other.mask |= g.mask;
        other.b = 0;
        other.kind = StopKind::Ready;
        w.groups[i] = w.groups[--w.group_count];
        --i;
        break;
      }
    }
  }
}

// --- warp barriers: a group goes on when every lane it names, and that is left, waits with the same mask

void BlockRun::check_warp_sync(unsigned index) {
  WarpContext& w = *warps_[index].context;
  for (bool again = true; again;) {
    again = false;
    for (unsigned i = 0; i < w.group_count && !again; ++i) {
      if (w.groups[i].kind != StopKind::WarpSync) continue;
      uint32_t wanted = w.groups[i].a, here = 0;
      for (unsigned k = 0; k < w.group_count; ++k)
        if (w.groups[k].kind == StopKind::WarpSync && w.groups[k].a == wanted) here |= w.groups[k].mask;
      if ((wanted & ~w.exited & ~here) != 0) continue;
      Group released[kLanes];
      unsigned count = 0;
      uint32_t ordered = 0, site = 0;
      for (unsigned k = 0; k < w.group_count;) {
        if (w.groups[k].kind == StopKind::WarpSync && w.groups[k].a == wanted) {
          if (w.groups[k].c != 0) {
            ordered |= w.groups[k].mask;
            site = w.groups[k].site;
          }
          released[count++] = w.groups[k];
          w.groups[k] = w.groups[--w.group_count];
        } else {
          ++k;
        }
      }
      for (unsigned k = 0; k < count; ++k) {
        released[k].kind = StopKind::Ready;
        released[k].b = 0;
        add_ready(w, released[k]);
      }
      if (const uint32_t skipped = wanted & w.fell_off & w.exited; skipped != 0)
        note_skipped(index, {released, count}, skipped);
      if (ordered != 0) note_warp_barrier(index, ordered, site);
      progressed_ = true;
      again = true;
    }
  }
}

void BlockRun::note_warp_barrier(uint32_t warp, uint32_t lanes, uint32_t site) {
  observe::WarpBarrierEvent event{ref(), warp, lanes, site};
  for (observe::Observer* o : launch_.listeners.sync) o->on_warp_barrier(event);
}

// These groups went on because the lanes that they named had come to the end of the kernel by another way.
void BlockRun::note_skipped(uint32_t warp, std::span<const Group> released, uint32_t skipped) {
  if (!observed(observe::SyncEvents)) return;
  for (const Group& g : released) {
    observe::WarpSyncEvent event{ref(), warp, g.mask, g.site, {}, skipped};
    event.wanted.fill(g.a);
    for (observe::Observer* o : launch_.listeners.sync) o->on_warp_sync(event);
  }
}

} // namespace tollgate::exec
