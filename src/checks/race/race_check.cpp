#include "checks/race/race_check.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tollgate::checks::race {

using observe::AccessKind;
using observe::MemoryEvent;
using observe::MemorySpace;
using observe::Order;

namespace {

template <typename Fn> void each_lane(LaneMask mask, Fn fn) {
  for (; mask != 0; mask &= mask - 1) fn(static_cast<uint32_t>(std::countr_zero(mask)));
}

bool releases(Order order) { return order == Order::Release || order == Order::AcqRel || order == Order::SeqCst; }
bool acquires(Order order) { return order == Order::Acquire || order == Order::AcqRel || order == Order::SeqCst; }

bool one_address(const MemoryEvent& event) {
  const uint64_t first = event.address[std::countr_zero(event.mask)];
  uint64_t differs = 0;
  each_lane(event.mask, [&](uint32_t lane) { differs |= event.address[lane] ^ first; });
  return differs == 0;
}

// A whole warp side by side, from the start of a line, four to sixteen bytes each.
bool in_lines(const MemoryEvent& event) {
  if (event.mask != ~LaneMask{0} || (event.bytes != 4 && event.bytes != 8 && event.bytes != 16)) return false;
  const uint64_t first = event.address[0];
  uint64_t differs = first % line_bytes;
  for (uint32_t lane = 1; lane < observe::warp_size; ++lane)
    differs |= event.address[lane] ^ (first + lane * event.bytes);
  return differs == 0;
}

// Morally strong (PTX ISA): both strong, each scope includes the other thread, and they overlap completely.
bool scopes_include(const Access& a, const Access& b) {
  return a.block == b.block || (is_wide(a.scope) && is_wide(b.scope));
}

// A read-modify-write observes the one before it. PTX ISA, causality order: what it observed precedes whatever comes
// after it, though neither releases nor acquires. Lanes of one instruction come in an order that nobody knows; updates
// of block scope are all kept, since each of them races with other blocks.
bool observes(const Access& fresh, const Access& old, bool one_instruction) {
  return !one_instruction && fresh.kind == AccessKind::Atomic && old.kind == AccessKind::Atomic && fresh.is_strong() &&
         old.is_strong() && is_wide(fresh.scope) && is_wide(old.scope);
}

// Whatever races with `old` also races with `fresh`, if `old` happens before `fresh`: one slot will do.
bool supersedes(const Access& fresh, uint8_t fresh_bytes, const Access& old, uint8_t old_bytes) {
  return (old_bytes & ~fresh_bytes) == 0 && (fresh.writes() || !old.writes()) &&
         (!fresh.is_strong() || (old.is_strong() && fresh.scope <= old.scope));
}

} // namespace

void RaceCheck::on_launch(const observe::LaunchInfo& info) {
  launch_ = info;
  report_.begin_launch(info);
  blocks_.clear();
  current_ = nullptr;
  sync_.clear();
  shadow_.begin_launch();
  if (records_.begin_launch()) spare_.clear();
}

void RaceCheck::on_launch_end() {
  report_.end_launch();
  blocks_.clear();
  current_ = nullptr;
}

RaceCheck::Block& RaceCheck::start(uint64_t block) {
  const uint32_t warps = std::max(1u, launch_.warps_per_block);
  blocks_.erase(block);
  Block fresh{BlockClocks(block, warps, launch_.threads_per_block, ptx_model_), {}, {}, {}};
  if (!spare_.empty()) {
    fresh.recorded = std::move(spare_.back());
    spare_.pop_back();
  }
  fresh.recorded.resize(warps * recorded_per_warp);
  current_ = &blocks_.emplace(block, std::move(fresh)).first->second;
  return *current_;
}

RaceCheck::Block& RaceCheck::of(uint64_t block) {
  if (current_ != nullptr && current_->clocks.block() == block) return *current_;
  const auto found = blocks_.find(block);
  if (found == blocks_.end()) return start(block);
  current_ = &found->second;
  return *current_;
}

void RaceCheck::on_block_end(const observe::BlockRef& block) {
  const auto found = blocks_.find(block.linear);
  if (found == blocks_.end()) return;
  spare_.push_back(std::move(found->second.recorded));
  blocks_.erase(found);
  current_ = nullptr;
}

void RaceCheck::on_barrier_arrival(const observe::BarrierArrival& arrival) {
  of(arrival.block.linear).clocks.barrier_arrival(arrival);
}
void RaceCheck::on_barrier_completion(const observe::BarrierCompletion& completion) {
  Block& block = of(completion.block.linear);
  block.clocks.barrier_completion(completion.barrier);
  if (!block.copies.empty()) block.copies.prune(block.clocks, launch_.warps_per_block);
}
void RaceCheck::on_warp_barrier(const observe::WarpBarrierEvent& event) {
  of(event.block.linear).clocks.warp_barrier(event.warp, event.mask);
}
void RaceCheck::on_fence(const observe::FenceEvent& event) {
  of(event.block.linear).clocks.fence(event.warp, event.mask, event.order, event.scope);
}

// arrive has .release, a wait that finds its phase complete has .acquire semantics, both at block scope (PTX ISA,
// mbarrier). Init is followed by a barrier of the program's own.
void RaceCheck::on_mbarrier(const observe::MbarrierEvent& event) {
  Block& block = of(event.block.linear);
  Mbarrier& barrier = block.mbarriers[event.address];
  const auto lane = static_cast<uint32_t>(std::countr_zero(event.mask));
  switch (event.op) {
  case observe::MbarrierOp::Init:
  case observe::MbarrierOp::Invalidate: barrier = {}; break;
  case observe::MbarrierOp::Arrive:
    if (!event.relaxed) {
      const ClockRef known = block.clocks.release(event.warp, lane);
      barrier.arrived = VectorClock::join(barrier.arrived, known, block.clocks.block());
    }
    block.clocks.tick();
    if (event.completes) barrier.completed = barrier.arrived; // and all phases before: arrived is never reset
    break;
  case observe::MbarrierOp::Wait: block.clocks.acquire(event.warp, event.mask, barrier.completed); break;
  case observe::MbarrierOp::Poll: break;
  }
}

// The allocator orders the last use of an object before the first of the next one in its place.
void RaceCheck::on_device_free(uint64_t address) {
  const observe::AllocationInfo object = memory_.lookup(address);
  if (object.kind != observe::AllocationInfo::Kind::Global || object.base != address) return;
  for (uint64_t at = address; at < object.base + object.size; at += granule_bytes)
    if (Shadow::Page* page = shadow_.page(at, 0)) page->cell(at, records_) = {};
}

AccessId RaceCheck::record(Block& block, const Access& access) {
  Recorded& last = block.recorded[access.warp * recorded_per_warp + access.site % recorded_per_warp];
  if (last.id != 0 && last.access == access && records_.find(last.id) != nullptr) return last.id;
  if (records_.exhausted() && records_.begin_launch()) {
    shadow_.begin_launch();
    spare_.clear();
    for (auto& [number, other] : blocks_) std::ranges::fill(other.recorded, Recorded{});
  }
  last = {records_.add(access), access};
  return last.id;
}

void RaceCheck::on_memory(const MemoryEvent& event) {
  if (event.mask == 0 || event.bytes == 0 || event.space == MemorySpace::Local || event.space == MemorySpace::Const ||
      event.space == MemorySpace::Param)
    return;
  Block& block = of(event.block.linear);
  const bool same_place = one_address(event);
  Access access;
  access.block = event.block.linear;
  access.time = block.clocks.now();
  access.site = event.site;
  access.warp = event.warp;
  access.kind = event.kind;
  access.order = event.order;
  access.scope = event.scope;
  access.bytes = static_cast<uint8_t>(event.bytes);
  access.many_lanes = !same_place;
  const Visit visit{event, access, record(block, access)};
  if (event.compares && event.kind == AccessKind::Atomic) note_guesses(event, access);
  if (event.compares && event.kind == AccessKind::Load) report_.note_only_guess(event.site);
  if (event.polls) report_.note_poll(event.site);
  if (!event.by_copy && !block.copies.empty()) meet_copies(block, event, access);
  if (!access.is_strong() && in_lines(event) && block.clocks.common_state(event.warp) != nullptr) {
    touch_lines(visit, block.clocks);
  } else {
    // Of lanes that all come to one place, two stand for all: one of them is not the thread that comes next.
    LaneMask lanes = event.mask;
    if (same_place) lanes = (LaneMask{1} << std::countr_zero(lanes)) | (LaneMask{1} << (31 - std::countl_zero(lanes)));
    touch_lanes(visit, block.clocks, lanes);
  }
  if (access.is_strong())
    synchronise(block, event, access);
  else if (access.writes() && !sync_.empty())
    each_lane(event.mask, [&](uint32_t lane) { sync_.forget(event.address[lane]); });
}

void RaceCheck::touch_lanes(Visit visit, const BlockClocks& clocks, LaneMask lanes) {
  each_lane(lanes, [&](uint32_t lane) {
    visit.lane = lane;
    visit.state = &clocks.state(visit.access.warp, lane);
    touch(visit, visit.event.address[lane]);
  });
}

void RaceCheck::touch_lines(Visit visit, const BlockClocks& clocks) {
  visit.state = clocks.common_state(visit.access.warp);
  const uint32_t lanes = line_bytes / visit.event.bytes; // a line
  for (uint32_t first = 0; first < observe::warp_size; first += lanes) {
    const uint64_t address = visit.event.address[first];
    Shadow::Page* page = shadow_.page(address, visit.access.block);
    if (page == nullptr) continue;
    Cell* line = page->line(address);
    const LaneMask mask = (lanes == observe::warp_size ? ~LaneMask{0} : (LaneMask{1} << lanes) - 1) << first;
    if (line == nullptr || !touch_line(visit, *line, first)) touch_lanes(visit, clocks, mask);
  }
}

// As touch() for a single cell, for all lanes of a line at once. False if they have to be told apart.
bool RaceCheck::touch_line(const Visit& visit, Cell& line, uint32_t first_lane) {
  const Access& access = visit.access;
  Slot* place = nullptr;
  Slot* victim = nullptr;
  for (Slot& slot : line.slots) {
    const Access* earlier = slot.access == 0 ? nullptr : records_.find(slot.access);
    if (earlier != nullptr) {
      const bool one_block = earlier->block == access.block;
      bool ordered =
          one_block && earlier->warp == access.warp && slot.lane == first_lane && earlier->bytes == access.bytes;
      if (!ordered) {
        const bool conflict = earlier->writes() || access.writes();
        const uint32_t lanes = line_bytes / earlier->bytes;
        const LaneMask mask = (lanes == observe::warp_size ? ~LaneMask{0} : (LaneMask{1} << lanes) - 1) << slot.lane;
        ordered = (one_block || conflict) &&
                  visit.state->clock->covers_lanes({earlier->block, earlier->warp, 0, earlier->time}, mask);
        if (conflict && !ordered) return false;
      }
      if (!ordered || !supersedes(access, 0xf, *earlier, 0xf)) {
        if (!earlier->writes()) victim = &slot;
        continue;
      }
    }
    slot = {};
    if (place == nullptr) place = &slot;
  }
  take(line, place, victim) = {visit.id, static_cast<uint8_t>(first_lane), 0xf};
  return true;
}

void RaceCheck::touch(const Visit& visit, uint64_t address) {
  const uint64_t end = address + visit.event.bytes;
  for (uint64_t at = address & ~uint64_t{granule_bytes - 1}; at < end; at += granule_bytes) {
    Shadow::Page* page = shadow_.page(at, visit.access.block);
    if (page == nullptr) return;
    const uint64_t from = std::max(at, address), to = std::min(at + granule_bytes, end);
    const auto bytes = static_cast<uint8_t>(((1u << (to - from)) - 1) << (from - at));
    touch(visit, page->cell(at, records_), from, bytes);
  }
}

void RaceCheck::touch(const Visit& visit, Cell& cell, uint64_t address, uint8_t bytes) {
  const Access& access = visit.access;
  Slot* place = nullptr;
  Slot* victim = nullptr;
  for (Slot& slot : cell.slots) {
    const Access* earlier = slot.access == 0 ? nullptr : records_.find(slot.access);
    bool free = earlier == nullptr;
    if (!free) {
      const bool one_block = earlier->block == access.block;
      bool ordered = one_block && earlier->warp == access.warp && slot.lane == visit.lane; // program order
      // One update after another of the same place is what most atomics meet: no search needed.
      if (!ordered) ordered = slot.bytes == bytes && observes(access, *earlier, slot.access == visit.id);
      if (!ordered) {
        const bool conflict = (slot.bytes & bytes) != 0 && (earlier->writes() || access.writes());
        // Accesses of other blocks are looked at only if they matter: the search costs.
        ordered = (one_block || conflict) &&
                  visit.state->clock->covers({earlier->block, earlier->warp, slot.lane, earlier->time});
        if (conflict && !ordered) {
          const bool both_atomic = earlier->kind == AccessKind::Atomic && access.kind == AccessKind::Atomic;
          const bool whole = both_atomic || (earlier->bytes == access.bytes && slot.bytes == bytes);
          const bool strong = earlier->is_strong() && access.is_strong();
          if (!strong || !scopes_include(*earlier, access) || !whole) {
            found(visit, *earlier, slot, address, strong && !whole);
            ordered = true; // said once
          } else if (one_block && earlier->warp == access.warp && !both_atomic && earlier->kind != AccessKind::Atomic &&
                     access.kind != AccessKind::Atomic && earlier->many_lanes && access.many_lanes) {
            found(visit, *earlier, slot, address, false);
          }
        }
      }
      free = ordered && supersedes(access, bytes, *earlier, slot.bytes);
    }
    if (free) {
      slot = {};
      if (place == nullptr) place = &slot;
    } else if (earlier->kind == AccessKind::Load) {
      victim = &slot;
    }
  }
  take(cell, place, victim) = {visit.id, static_cast<uint8_t>(visit.lane), bytes};
}

// The programming guide's own atomicAdd for double: a plain read, and a compare-and-swap by the same thread on the same
// place that goes round again if the value was not there any more.
void RaceCheck::note_guesses(const MemoryEvent& event, const Access& access) {
  for (LaneMask rest = event.mask; rest != 0;) {
    const uint64_t address = event.address[std::countr_zero(rest)];
    LaneMask same = 0;
    each_lane(rest, [&](uint32_t lane) { same |= event.address[lane] == address ? LaneMask{1} << lane : 0; });
    rest &= ~same;
    Shadow::Page* page = shadow_.page(address, access.block);
    if (page == nullptr) return;
    for (const Slot& slot : page->cell(address, records_).slots) {
      const Access* read = slot.access == 0 ? nullptr : records_.find(slot.access);
      if (read != nullptr && read->kind == AccessKind::Load && read->block == access.block &&
          read->warp == access.warp && (same >> slot.lane & 1) != 0)
        report_.note_guess(read->site);
    }
  }
}

// --- what was found
// ---------------------------------------------------------------------------------------------------

bool RaceCheck::writes_same(const Visit& visit, const Access& earlier, const Slot& slot, uint64_t address) const {
  const MemoryEvent& event = visit.event;
  if (event.kind != AccessKind::Store || earlier.kind != AccessKind::Store || event.values == nullptr) return false;
  const uint32_t width = event.element_bytes;
  if (width == 0 || event.bytes % width != 0 || !memory_.contains(event.address[visit.lane], event.bytes)) return false;
  // This instruction has not written yet: among its own lanes the values themselves are compared.
  const bool one_instruction = slot.access == visit.id && event.address[slot.lane] == event.address[visit.lane];
  const auto* values = static_cast<const uint8_t*>(event.values);
  const auto* there = static_cast<const uint8_t*>(memory_.bytes_at(event.address[visit.lane]));
  if (there == nullptr && !one_instruction) return false;
  const uint64_t offset = address - event.address[visit.lane];
  const uint64_t first = offset / width,
                 last = std::min<uint64_t>((offset + granule_bytes - 1) / width, event.bytes / width - 1);
  for (uint64_t i = first; i <= last; ++i) {
    const uint8_t* mine = values + (i * observe::warp_size + visit.lane) * width;
    const uint8_t* other = one_instruction ? values + (i * observe::warp_size + slot.lane) * width : there + i * width;
    if (std::memcmp(mine, other, width) != 0) return false;
  }
  return true;
}

Rule RaceCheck::judge(const Visit& visit, const Access& earlier, const Slot& slot, uint64_t address) const {
  const Epoch epoch{earlier.block, earlier.warp, slot.lane, earlier.time};
  const LaneState& state = *visit.state;
  if (visit.access.is_strong() && earlier.is_strong()) {
    if (!scopes_include(visit.access, earlier)) return Rule::RaceScope;
    if (visit.access.many_lanes && visit.access.bytes == earlier.bytes) return Rule::WarpSynchronous;
  }
  if (covers(state.pending_block, epoch) || covers(state.pending_grid, epoch)) return Rule::MissingAcquire;
  if (writes_same(visit, earlier, slot, address)) return Rule::RaceSameValue;
  return memory_.lookup(address).kind == observe::AllocationInfo::Kind::Shared ? Rule::RaceShared : Rule::RaceGlobal;
}

void RaceCheck::found(const Visit& visit, const Access& earlier, const Slot& slot, uint64_t address, bool mixed_sizes) {
  Race race;
  race.rule = judge(visit, earlier, slot, address);
  if (ptx_model_ && race.rule == Rule::WarpSynchronous) return; // both strong: no race by the letter
  race.address = address;
  race.object = memory_.lookup(address);
  race.earlier = earlier;
  race.earlier_lane = slot.lane;
  race.later = visit.access;
  race.later_lane = visit.lane;
  race.flag_site = visit.state->pending_site;
  race.mixed_sizes = mixed_sizes;
  race.narrow_fence = earlier.block != visit.access.block && fenced_narrowly(earlier, slot.lane);
  const bool reads = earlier.kind == AccessKind::Load || visit.access.kind == AccessKind::Load;
  const bool updates = earlier.kind == AccessKind::Atomic || visit.access.kind == AccessKind::Atomic;
  if (reads && updates && (race.rule == Rule::RaceShared || race.rule == Rule::RaceGlobal))
    report_.defer(race, earlier.kind == AccessKind::Load ? earlier.site : visit.access.site);
  else if (race.rule == Rule::RaceSameValue)
    report_.defer(race, 0);
  else
    report_.add(race);
}

// A thread that is still there has fenced since this access of its, but for its own block only.
bool RaceCheck::fenced_narrowly(const Access& access, uint32_t lane) const {
  const auto block = blocks_.find(access.block);
  if (block == blocks_.end()) return false;
  const LaneState& state = block->second.clocks.state(access.warp, lane);
  const Epoch epoch{access.block, access.warp, lane, access.time};
  const auto covered_by = [&](const FenceSnapshot& fence) {
    return fence.taken && covers(block->second.clocks.published(fence, access.warp, lane), epoch);
  };
  return covered_by(state.fence_block) && !covered_by(state.fence_grid);
}

// --- release and acquire
// ------------------------------------------------------------------------------------------------

Published RaceCheck::publishes(const BlockClocks& clocks, const Access& access, uint32_t lane) const {
  if (releases(access.order)) {
    const ClockRef clock = clocks.release(access.warp, lane);
    return {clock, is_wide(access.scope) ? clock : nullptr};
  }
  const LaneState& state = clocks.state(access.warp, lane);
  if (!state.fence_block.taken) return {};
  return {clocks.published(state.fence_block, access.warp, lane),
          is_wide(access.scope) ? clocks.published(state.fence_grid, access.warp, lane) : nullptr};
}

void RaceCheck::observe_lanes(Block& block, const MemoryEvent& event, const Access& access) {
  for (LaneMask rest = event.mask; rest != 0;) {
    const uint64_t address = event.address[std::countr_zero(rest)];
    LaneMask same = 0;
    each_lane(rest, [&](uint32_t lane) { same |= event.address[lane] == address ? LaneMask{1} << lane : 0; });
    rest &= ~same;
    const Published seen = sync_.observed(address, access.block);
    if (seen.empty()) continue;
    const ClockRef grid = is_wide(access.scope) ? seen.grid : nullptr;
    if (acquires(access.order)) {
      block.clocks.acquire(event.warp, same, seen.block);
      block.clocks.acquire(event.warp, same, grid);
    } else {
      block.clocks.observe(event.warp, same, seen.block, grid, access.site);
    }
  }
}

void RaceCheck::synchronise(Block& block, const MemoryEvent& event, const Access& access) {
  if (access.kind != AccessKind::Store && !sync_.empty()) observe_lanes(block, event, access);
  if (!access.writes()) return;
  each_lane(event.mask, [&](uint32_t lane) {
    const Published what = publishes(block.clocks, access, lane);
    if (what.empty() && sync_.empty()) return;
    const Epoch by{access.block, access.warp, lane, access.time};
    if (access.kind == AccessKind::Store)
      sync_.write(event.address[lane], by, what);
    else
      sync_.update(event.address[lane], by, what);
  });
  if (releases(access.order)) block.clocks.tick();
}

} // namespace tollgate::checks::race
