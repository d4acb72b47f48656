#include "checks/race/block_clocks.h"

#include "checks/race/async_copies.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace tollgate::checks::race {

using observe::Order;
using observe::SyncScope;

BlockClocks::BlockClocks(uint64_t block, uint32_t warps, uint32_t threads, bool in_cluster, bool by_the_letter)
    : threads_(threads), in_cluster_(in_cluster), by_the_letter_(by_the_letter), warps_(warps) {
  begin(block);
}

void BlockClocks::begin(uint64_t block) {
  block_ = block;
  ++now_; // records of the block that was here before are none of this one's
  const bool alone = is_common_alone();
  LaneState start;
  start.clock = common_;
  const bool as_left = alone && common_->others() == BlockTree() && std::ranges::all_of(warps_, [&](const Warp& warp) {
                         return warp.parts.size() == 1 && warp.parts.front().state == start;
                       });
  if (as_left) {
    common_->set_view(block, BlockView());
  } else {
    common_ = std::make_shared<VectorClock>(block, BlockView());
    start.clock = common_;
    for (Warp& warp : warps_) {
      warp.parts.resize(1);
      warp.parts.front() = {~LaneMask{0}, start};
    }
  }
  for (Barrier& barrier : barriers_) {
    barrier.participants.clear();
    barrier.states.clear();
  }
}

const LaneState& BlockClocks::state(uint32_t warp, uint32_t lane) const {
  const auto& parts = warps_[warp].parts;
  for (const Lanes& part : parts)
    if ((part.mask >> lane & 1) != 0) return part.state;
  return parts.front().state;
}

ClockRef BlockClocks::release(uint32_t warp, uint32_t lane) const {
  return VectorClock::learn(state(warp, lane).clock, block_, warp, LaneMask{1} << lane, now_);
}

ClockRef BlockClocks::release_all(uint32_t warp, LaneMask lanes) const {
  ClockRef all;
  for (const Lanes& part : warps_[warp].parts)
    if (const LaneMask inside = part.mask & lanes; inside != 0)
      all = VectorClock::join(all, VectorClock::learn(part.state.clock, block_, warp, inside, now_), block_);
  return all;
}

ClockRef BlockClocks::published_all(uint32_t warp, LaneMask lanes) const {
  ClockRef all;
  for (const Lanes& part : warps_[warp].parts) {
    const FenceSnapshot& fence = part.state.fence_grid;
    const LaneMask inside = part.mask & lanes;
    if (inside == 0 || !fence.taken) continue;
    all = VectorClock::join(
        all, fence.own == 0 ? fence.clock : VectorClock::learn(fence.clock, block_, warp, inside, fence.own), block_);
  }
  return all;
}

ClockRef BlockClocks::published(const FenceSnapshot& fence, uint32_t warp, uint32_t lane) const {
  if (!fence.taken) return nullptr;
  return fence.own == 0 ? fence.clock : VectorClock::learn(fence.clock, block_, warp, LaneMask{1} << lane, fence.own);
}

// Applies fn to the states of these lanes, parting them from the others where needed.
template <typename Fn> void BlockClocks::update(uint32_t warp, LaneMask lanes, Fn fn) {
  auto& parts = warps_[warp].parts;
  const size_t count = parts.size();
  for (size_t i = 0; i < count; ++i) {
    const LaneMask inside = parts[i].mask & lanes;
    if (inside == 0) continue;
    LaneState changed = parts[i].state;
    fn(changed);
    if (changed == parts[i].state) continue;
    parts[i].mask &= ~inside;
    const auto same = std::ranges::find(parts, changed, &Lanes::state);
    if (same != parts.end() && same->mask != 0)
      same->mask |= inside;
    else
      parts.push_back({inside, std::move(changed)});
  }
  std::erase_if(parts, [](const Lanes& part) { return part.mask == 0; });
}

void BlockClocks::set(uint32_t warp, LaneMask lanes, const LaneState& state) {
  if (by_the_letter_)
    update(warp, lanes, [&](LaneState& s) { s.clock = state.clock; });
  else
    update(warp, lanes, [&](LaneState& s) { s = state; });
}

void BlockClocks::acquire(uint32_t warp, LaneMask lanes, const ClockRef& clock) {
  update(warp, lanes, [&](LaneState& s) { s.clock = VectorClock::join(s.clock, clock, block_); });
}

void BlockClocks::observe(uint32_t warp, LaneMask lanes, const ClockRef& from_block, const ClockRef& from_grid,
                          observe::SiteId site) {
  update(warp, lanes, [&](LaneState& s) {
    s.pending_block = VectorClock::join(s.pending_block, from_block, block_);
    s.pending_grid = VectorClock::join(s.pending_grid, from_grid, block_);
    s.pending_site = site;
  });
}

Narrow BlockClocks::join(const Narrow& a, const Narrow& b) const {
  return {VectorClock::join(a.released, b.released, block_), VectorClock::join(a.acquired, b.acquired, block_)};
}

void BlockClocks::observe_narrowly(uint32_t warp, LaneMask lanes, const Narrow& seen, bool acquires,
                                   observe::SiteId site) {
  update(warp, lanes, [&](LaneState& s) {
    Narrow& into = acquires ? s.narrow : s.pending_narrow;
    into = join(into, seen);
    s.pending_site = site;
  });
}

// A fence by itself orders nothing between threads: it completes an acquire pattern that a strong read began, and
// begins a release pattern that a strong write may complete. No edge follows from the order in which fences ran.
void BlockClocks::fence(uint32_t warp, LaneMask lanes, Order order, SyncScope scope) {
  const bool wide = reaches_others(scope);
  update(warp, lanes, [&](LaneState& s) {
    if (order != Order::Release) {
      s.clock = VectorClock::join(s.clock, s.pending_block, block_);
      s.narrow = join(s.narrow, s.pending_narrow);
      ClockRef& others = wide ? s.clock : s.narrow.acquired;
      others = VectorClock::join(others, s.pending_grid, block_);
    }
    if (order != Order::Acquire) {
      s.fence_block = {s.clock, now_, true};
      if (wide) s.fence_grid = s.fence_block;
    }
  });
  tick();
}

// What is known by now, of this block's accesses, has been made visible to the asynchronous proxy. Lanes that fence
// together vouch for each other: whoever is ordered behind one only is found to race anyway.
void BlockClocks::proxy_fence(uint32_t warp, LaneMask lanes) {
  update(warp, lanes, [&](LaneState& s) {
    BlockView view = s.clock->at_home();
    view.learn(warp, lanes, now_);
    const auto visible = std::make_shared<const VectorClock>(proxy_of(block_), std::move(view));
    s.clock = VectorClock::join(s.clock, visible, block_);
  });
  tick();
}

// A snapshot that is handed on to other threads names the accesses of those who took it.
void BlockClocks::collect(uint32_t warp, LaneMask lanes, std::vector<LaneState>& states) const {
  for (const Lanes& part : warps_[warp].parts) {
    if ((part.mask & lanes) == 0) continue;
    LaneState state = part.state;
    for (FenceSnapshot* fence : {&state.fence_block, &state.fence_grid})
      if (fence->own != 0)
        *fence = {VectorClock::learn(fence->clock, block_, warp, part.mask & lanes, fence->own), 0, true};
    if (std::ranges::find(states, state) == states.end()) states.push_back(std::move(state));
  }
}

// "All write, all fence, barrier, one sets the flag": PTX wants the fence in the thread that sets the flag, the idiom
// is common, and no implementation could break it. What each fence covered stays covered behind the barrier.
FenceSnapshot BlockClocks::hand_on(const FenceSnapshot& a, const FenceSnapshot& b) const {
  if (!a.taken) return b;
  if (!b.taken || a == b) return a;
  return {VectorClock::join(a.clock, b.clock, block_), 0, true};
}

LaneState BlockClocks::join(std::span<const LaneState> states) const {
  LaneState out = states.front();
  for (const LaneState& s : states.subspan(1)) {
    out.clock = VectorClock::join(out.clock, s.clock, block_);
    out.pending_block = VectorClock::join(out.pending_block, s.pending_block, block_);
    out.pending_grid = VectorClock::join(out.pending_grid, s.pending_grid, block_);
    out.pending_narrow = join(out.pending_narrow, s.pending_narrow);
    out.narrow = join(out.narrow, s.narrow);
    if (s.pending_site != 0) out.pending_site = s.pending_site;
    out.fence_block = hand_on(out.fence_block, s.fence_block);
    out.fence_grid = hand_on(out.fence_grid, s.fence_grid);
  }
  return out;
}

void BlockClocks::warp_barrier(uint32_t warp, LaneMask lanes) {
  std::vector<LaneState> states;
  collect(warp, lanes, states);
  LaneState after = join(states);
  after.clock = VectorClock::learn(after.clock, block_, warp, lanes, now_);
  set(warp, lanes, after);
  tick();
}

// bar.arrive is a release only: the arriving lanes go on, and what they do next is not covered.
void BlockClocks::barrier_arrival(const observe::BarrierArrival& arrival) {
  Barrier& barrier = barriers_[arrival.barrier % 16];
  const bool waits = arrival.kind != observe::BarrierKind::Arrive;
  barrier.participants.push_back({arrival.warp, arrival.mask, now_, waits});
  collect(arrival.warp, arrival.mask, barrier.states);
  if (!waits) tick();
}

// Everybody who waited now knows what everybody who came knew, and what they did. Threads that had left the kernel
// did not take part: what they did stays unordered.
bool BlockClocks::barrier_completion(uint32_t id) {
  Barrier barrier = std::exchange(barriers_[id % 16], {});
  if (barrier.participants.empty()) return false;
  uint32_t waiting = 0;
  for (const Participant& p : barrier.participants)
    waiting += p.waits ? static_cast<uint32_t>(std::popcount(p.mask)) : 0;
  LaneState after;
  if (waiting == threads_) {
    BlockTree others;
    for (LaneState& s : barrier.states) {
      others = others.join(s.clock->others());
      s.clock = nullptr;
    }
    after = join(barrier.states);
    after.clock = std::make_shared<const VectorClock>(block_, BlockView(now_), others);
  } else {
    after = join(barrier.states);
    auto clock = std::make_shared<VectorClock>(*after.clock);
    for (const Participant& p : barrier.participants) clock->learn(p.warp, p.mask, p.time);
    after.clock = std::move(clock);
  }
  for (const Participant& p : barrier.participants)
    if (p.waits) set(p.warp, p.mask, after);
  tick();
  return waiting == threads_;
}

// As a rule all threads know the same at a barrier: what happened before the last one.
void BlockClocks::block_barrier() {
  const auto& first = warps_.front().parts;
  const bool alike = first.front().state.fence_block.own == 0 && first.front().state.fence_grid.own == 0 &&
                     std::ranges::all_of(warps_, [&](const Warp& warp) {
                       return warp.parts.size() == 1 && warp.parts.front().state == first.front().state;
                     });
  if (!alike) {
    for (uint32_t warp = 0; warp < warps_.size(); ++warp) {
      const uint32_t lanes = std::min(threads_ - warp * observe::warp_size, observe::warp_size);
      const LaneMask mask = lanes == observe::warp_size ? ~LaneMask{0} : (LaneMask{1} << lanes) - 1;
      observe::BarrierArrival arrival;
      arrival.warp = warp;
      arrival.mask = mask;
      barrier_arrival(arrival);
    }
    barrier_completion(0);
    return;
  }
  if (first.front().state.clock == common_ && is_common_alone()) {
    common_->set_view(block_, BlockView(now_));
  } else {
    common_ = std::make_shared<VectorClock>(block_, BlockView(now_), first.front().state.clock->others());
    for (Warp& warp : warps_) warp.parts.front().state.clock = common_;
  }
  tick();
}

} // namespace tollgate::checks::race
