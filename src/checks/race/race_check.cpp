#include "checks/race/race_check.h"

#include "base/each_lane.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tollgate::checks::race {

using observe::AccessKind;
using observe::MemoryEvent;
using observe::MemorySpace;
using observe::Order;

namespace {

bool releases(Order order) { return order == Order::Release || order == Order::AcqRel || order == Order::SeqCst; }
bool acquires(Order order) { return order == Order::Acquire || order == Order::AcqRel || order == Order::SeqCst; }

} // namespace

void RaceCheck::on_launch(const observe::LaunchInfo& info) {
  launch_ = info;
  shape_.begin(info);
  report_.begin_launch(info);
  blocks_.clear();
  clusters_.clear();
  current_ = nullptr;
  spare_.clear();
  sync_.clear();
  const bool anew = records_.begin_launch();
  shadow_.begin_launch(records_.first(), anew);
}

void RaceCheck::on_launch_end() {
  for (auto& [number, block] : blocks_) end_phase(block); // of a launch that did not come to its end
  report_.end_launch();
  blocks_.clear();
  clusters_.clear();
  current_ = nullptr;
}

RaceCheck::Block& RaceCheck::start(uint64_t block) {
  const uint64_t cluster = shape_.cluster_of(block);
  const bool alone = shape_.blocks_per_cluster() == 1;
  const bool known = blocks_.erase(block) != 0;
  if (!alone && !known)
    ++clusters_[cluster].blocks;
  else if (alone && !clusters_.empty())
    clusters_.erase(cluster);
  // Nobody but this block is in its shared memory, and no record of its own is there yet.
  const AccessId past = alone ? records_.next() : 0;
  if (spare_.empty()) {
    const uint32_t warps = std::max(1u, launch_.warps_per_block);
    Block fresh{BlockClocks(block, warps, launch_.threads_per_block, !alone, ptx_model_)};
    fresh.past = past;
    fresh.cluster = cluster;
    fresh.reads = std::make_unique_for_overwrite<uint64_t[]>(Block::most_reads);
    current_ = &blocks_.emplace(block, std::move(fresh)).first->second;
  } else {
    auto node = std::move(spare_.back());
    spare_.pop_back();
    node.key() = block;
    node.mapped().clocks.begin(block);
    node.mapped().cluster = cluster;
    if (!node.mapped().copies.untouched()) node.mapped().copies = {};
    node.mapped().past = past;
    current_ = &blocks_.insert(std::move(node)).position->second;
  }
  current_->began = current_->clocks.now();
  current_->shortcuts.own_records = records_.next();
  current_->shortcuts.reads_at = current_->reads.get();
  current_->written = false;
  return *current_;
}

RaceCheck::Block& RaceCheck::of(uint64_t block) {
  if (current_ != nullptr && current_->clocks.block() == block) return *current_;
  const auto found = blocks_.find(block);
  if (found == blocks_.end()) return start(block);
  current_ = &found->second;
  current_->shortcuts.own_records = records_.next(); // others may have been another block's
  return *current_;
}

RaceCheck::Block& RaceCheck::settled(uint64_t block) {
  Block& found = of(block);
  if (found.has_reads()) settle_reads(found);
  return found;
}

observe::Shortcuts* RaceCheck::shortcuts(uint64_t block) {
  Block& found = of(block);
  allow_shortcuts(found);
  return &found.shortcuts;
}

// While copies are on their way each access is held against them; while something is published each store may take its
// place. Other blocks of a cluster may look at shared memory at any time.
void RaceCheck::allow_shortcuts(Block& block) {
  observe::Shortcuts& own = block.shortcuts;
  const observe::Shortcuts& none = *observe::no_shortcuts();
  const bool loads = block.copies.empty(), lines = loads && shadow_.words();
  own.reads_end = loads && shape_.blocks_per_cluster() == 1
                      ? block.reads.get() + Block::most_reads - observe::Shortcuts::read_words
                      : nullptr;
  own.load_time = lines ? &block.clocks.now() : none.load_time;
  own.store_time = lines && sync_.empty() ? &block.clocks.now() : none.store_time;
  own.sites = block.recorded.data();
  own.lines = shadow_.words().base();
  own.first_record = records_.first();
}

void RaceCheck::on_block_end(const observe::BlockRef& block) {
  const auto found = blocks_.find(block.linear);
  if (found == blocks_.end()) return;
  end_phase(found->second);
  if (!found->second.copies.empty()) end_copies(found->second);
  if (shape_.blocks_per_cluster() == 1)
    clusters_.erase(found->second.cluster);
  else if (Cluster& cluster = clusters_[found->second.cluster]; --cluster.blocks == 0)
    clusters_.erase(found->second.cluster);
  auto gone = blocks_.extract(found);
  current_ = nullptr;
  if (gone.mapped().clocks.now() < UINT32_MAX / 2) spare_.push_back(std::move(gone)); // time goes on there
}

void RaceCheck::on_barrier_arrival(const observe::BarrierArrival& arrival) {
  settled(arrival.block.linear).clocks.barrier_arrival(arrival);
}
void RaceCheck::on_barrier_completion(const observe::BarrierCompletion& completion) {
  Block& block = settled(completion.block.linear);
  if (block.clocks.barrier_completion(completion.barrier)) leave_behind(block);
  if (!block.copies.empty()) block.copies.prune(block.clocks, launch_.warps_per_block);
}
void RaceCheck::on_block_barrier(const observe::BlockBarrier& barrier) {
  Block& block = of(barrier.block.linear);
  end_phase(block);
  block.clocks.block_barrier();
  leave_behind(block);
  if (!block.copies.empty()) block.copies.prune(block.clocks, launch_.warps_per_block);
}

// Other blocks of a cluster may still look at this one's shared memory.
void RaceCheck::leave_behind(Block& block) {
  if (shape_.blocks_per_cluster() != 1) return;
  block.past = records_.next();
  block.written = false;
}

void RaceCheck::on_warp_barrier(const observe::WarpBarrierEvent& event) {
  settled(event.block.linear).clocks.warp_barrier(event.warp, event.mask);
}
void RaceCheck::on_fence(const observe::FenceEvent& event) {
  settled(event.block.linear).clocks.fence(event.warp, event.mask, event.order, event.scope);
}

// arrive has .release, a wait that finds its phase complete has .acquire semantics, both at block scope (PTX ISA,
// mbarrier). Init is followed by a barrier of the program's own.
void RaceCheck::on_mbarrier(const observe::MbarrierEvent& event) {
  Block& block = settled(event.block.linear);
  Mbarrier& barrier = clusters_[block.cluster].mbarriers[event.address];
  const auto lane = static_cast<uint32_t>(std::countr_zero(event.mask));
  switch (event.op) {
  case observe::MbarrierOp::Init:
    barrier = {};
    barrier.made.block = block.clocks.block(), barrier.made.warp = event.warp, barrier.made_lane = lane;
    barrier.made.time = block.clocks.now(), barrier.made.site = event.site;
    barrier.made.kind = AccessKind::Store, barrier.made.bytes = sizeof(uint64_t);
    block.clocks.tick();
    return;
  case observe::MbarrierOp::Invalidate: barrier = {}; return;
  default: break;
  }
  meet_init(block, barrier, event);
  switch (event.op) {
  case observe::MbarrierOp::Arrive:
    if (!event.relaxed) {
      const ClockRef known = block.clocks.release(event.warp, lane);
      barrier.arrived = VectorClock::join(barrier.arrived, known, block.clocks.block());
    }
    block.clocks.tick();
    if (event.completes) barrier.completed = barrier.arrived; // and all phases before: arrived is never reset
    break;
  case observe::MbarrierOp::Wait: block.clocks.acquire(event.warp, event.mask, barrier.completed); break;
  default: break;
  }
}

// The initialisation is an ordinary write: whoever uses the object must be ordered behind it.
void RaceCheck::meet_init(const Block& block, const Mbarrier& barrier, const observe::MbarrierEvent& event) {
  const auto lane = static_cast<uint32_t>(std::countr_zero(event.mask));
  const Access& made = barrier.made;
  const bool own = made.block == block.clocks.block() && made.warp == event.warp && barrier.made_lane == lane;
  if (made.time == 0 || own) return;
  if (covers(block.clocks.state(event.warp, lane).clock, {made.block, made.warp, barrier.made_lane, made.time})) return;
  Race race;
  race.rule = Rule::RaceShared;
  race.address = event.address;
  race.object = memory_.lookup(event.address);
  race.earlier = made;
  race.earlier_lane = barrier.made_lane;
  race.later = made;
  race.later.block = block.clocks.block();
  race.later.site = event.site;
  race.later.warp = event.warp;
  race.later.kind = event.op == observe::MbarrierOp::Arrive ? AccessKind::Atomic : AccessKind::Load;
  race.later_lane = lane;
  report_.add(race);
}

// barrier.cluster.arrive releases, barrier.cluster.wait acquires, both at cluster scope (PTX ISA, barrier.cluster).
void RaceCheck::on_cluster_barrier(const observe::ClusterBarrierEvent& event) {
  Block& block = settled(event.block.linear);
  Cluster& cluster = clusters_[block.cluster];
  switch (event.op) {
  case observe::ClusterBarrierOp::Arrive: // a fence before a relaxed arrival makes it release what came before the
                                          // fence
    cluster.arrived = VectorClock::join(cluster.arrived,
                                        event.orders ? block.clocks.release_all(event.warp, event.mask)
                                                     : block.clocks.published_all(event.warp, event.mask),
                                        block.clocks.block());
    block.clocks.tick();
    break;
  case observe::ClusterBarrierOp::Complete: cluster.completed = cluster.arrived; break; // with all phases before
  case observe::ClusterBarrierOp::Wait: block.clocks.acquire(event.warp, event.mask, cluster.completed); break;
  }
}

// The allocator orders the last use of an object before the first of the next one in its place.
void RaceCheck::on_device_free(uint64_t address) {
  const observe::AllocationInfo object = memory_.lookup(address);
  if (object.kind != observe::AllocationInfo::Kind::Global || object.base != address) return;
  for (uint64_t at = address; at < object.base + object.size; at += granule_bytes)
    if (Shadow::Page* page = shadow_.page(at, 0)) page->cell(at, shadow_, records_) = {};
}

RaceCheck::Recorded& RaceCheck::record(Block& block, const Access& access) {
  Recorded& last = block.recorded[access.site % recorded_per_block];
  if (last.id != 0 && last.site == access.site && last.time == access.time) {
    const AccessRecord* known = records_.find(last.id);
    if (known != nullptr && *known == access) return last;
  }
  if (records_.exhausted() && records_.begin_launch()) begin_records_anew();
  last = {access.time, records_.add(access), access.site, passes(block, access.site)};
  return last;
}

// The shadow knows numbers that are given again from here on.
void RaceCheck::begin_records_anew() {
  shadow_.begin_launch(records_.first(), true);
  spare_.clear();
  for (auto& [number, other] : blocks_) {
    std::ranges::fill(other.recorded, Recorded{});
    other.past = 0;
    other.shortcuts.own_records = records_.next();
    allow_shortcuts(other);
  }
}

void RaceCheck::on_memory(const MemoryEvent& event) {
  if (event.mask == 0 || event.bytes == 0 || event.space == MemorySpace::Local || event.space == MemorySpace::Const ||
      event.space == MemorySpace::Param)
    return;
  if (event.address.is_settled()) return look_at(event);
  MemoryEvent settled = event;
  settled.address = event.address.settled(event.mask);
  look_at(settled);
}

void RaceCheck::look_at(const MemoryEvent& event) {
  const bool apart = event.space == MemorySpace::Global && event.order == Order::Weak; // from reads of shared memory
  Block& block = apart ? of(event.block.linear) : settled(event.block.linear);
  if (!apart && event.kind != AccessKind::Load) block.written = true;
  const bool same_place = event.address.in_line() && (event.address.stride() == 0 || std::has_single_bit(event.mask));
  Access access;
  access.block = event.block.linear;
  access.time = block.clocks.now();
  access.site = event.site;
  access.warp = event.warp;
  access.kind = event.kind;
  access.order = event.order;
  access.scope = event.scope;
  access.bytes = static_cast<uint8_t>(event.bytes);
  access.many_lanes = access.is_strong() && !same_place;
  const bool again = came_by(block, access.warp, access.site);
  Recorded& own = record(block, access);
  note_pass(own, access.warp);
  const AccessId id = own.id;
  if (touch_plain_line(block, event, access, id)) return;
  const Visit visit{event, access, id, block.past, block.cluster, nullptr, 0, again};
  if (event.compares && event.kind == AccessKind::Atomic) note_guesses(event, access);
  if (event.compares && event.kind == AccessKind::Load) report_.note_only_guess(event.site);
  if (event.polls) report_.note_poll(event.site);
  if (!event.by_copy && !block.copies.empty()) meet_copies(block, event, access);
  // Of lanes that all come to one place, two stand for all: one of them is not the thread that comes next.
  LaneMask lanes = event.mask;
  if (same_place) lanes = (LaneMask{1} << std::countr_zero(lanes)) | (LaneMask{1} << (31 - std::countl_zero(lanes)));
  touch(visit, block.clocks, lanes);
  if (access.is_strong())
    synchronise(block, event, access);
  else if (access.writes() && !sync_.empty())
    each_lane(lanes, [&](uint32_t lane) { sync_.forget(event.address[lane]); });
}

// The programming guide's own atomicAdd for double: a plain read, and a compare-and-swap by the same thread on the same
// place that goes round again if the value was not there any more.
void RaceCheck::note_guesses(const MemoryEvent& event, const Access& access) {
  for (LaneMask rest = event.mask; rest != 0;) {
    const uint64_t address = event.address[static_cast<uint32_t>(std::countr_zero(rest))];
    LaneMask same = 0;
    each_lane(rest, [&](uint32_t lane) { same |= event.address[lane] == address ? LaneMask{1} << lane : 0; });
    rest &= ~same;
    Shadow::Page* page = shadow_.page(address, of(access.block).cluster);
    if (page == nullptr) return;
    for (const Slot& slot : page->cell(address, shadow_, records_).slots) {
      const std::optional<Access> read = access_of(slot, records_);
      if (read && read->kind == AccessKind::Load && read->block == access.block && read->warp == access.warp &&
          (same >> slot.lane() & 1) != 0)
        report_.note_guess(read->site);
    }
  }
}

// --- what was found

bool RaceCheck::writes_same(const Visit& visit, const Access& earlier, const Slot& slot, uint64_t address) const {
  const MemoryEvent& event = visit.event;
  if (event.kind != AccessKind::Store || earlier.kind != AccessKind::Store || event.values == nullptr) return false;
  const uint32_t width = event.element_bytes;
  if (width == 0 || event.bytes % width != 0 || !memory_.contains(event.address[visit.lane], event.bytes)) return false;
  // This instruction has not written yet: among its own lanes the values themselves are compared.
  const bool one_instruction =
      slot.access() == visit.id && slot.warp() == event.warp && event.address[slot.lane()] == event.address[visit.lane];
  const auto* values = static_cast<const uint8_t*>(event.values);
  const auto* there = static_cast<const uint8_t*>(memory_.bytes_at(event.address[visit.lane]));
  if (there == nullptr && !one_instruction) return false;
  const uint64_t offset = address - event.address[visit.lane];
  const uint64_t first = offset / width,
                 last = std::min<uint64_t>((offset + granule_bytes - 1) / width, event.bytes / width - 1);
  for (uint64_t i = first; i <= last; ++i) {
    const uint8_t* mine = values + (i * observe::warp_size + visit.lane) * width;
    const uint8_t* other =
        one_instruction ? values + (i * observe::warp_size + slot.lane()) * width : there + i * width;
    if (std::memcmp(mine, other, width) != 0) return false;
  }
  return true;
}

// Morally strong (PTX ISA): both strong, each scope includes the other thread, and they overlap completely.
bool RaceCheck::scopes_include(const Access& a, const Access& b) const {
  if (scopes_surely_include(a, b)) return true;
  return std::min(a.scope, b.scope) >= observe::SyncScope::Cluster &&
         shape_.cluster_of(a.block) == shape_.cluster_of(b.block);
}

Rule RaceCheck::judge(const Visit& visit, const Access& earlier, const Slot& slot, uint64_t address,
                      bool shared) const {
  const Epoch epoch{earlier.block, earlier.warp, slot.lane(), earlier.time};
  const LaneState& state = *visit.state;
  if (visit.access.is_strong() && earlier.is_strong()) {
    if (!scopes_include(visit.access, earlier)) return Rule::RaceScope;
    if (visit.access.many_lanes && visit.access.bytes == earlier.bytes) return Rule::WarpSynchronous;
  }
  if (earlier.block != visit.access.block &&
      (covers(state.narrow.released, epoch) || covers(state.narrow.acquired, epoch)))
    return Rule::RaceScope;
  if (covers(state.pending_block, epoch) || covers(state.pending_grid, epoch)) return Rule::MissingAcquire;
  if (writes_same(visit, earlier, slot, address)) return Rule::RaceSameValue;
  return shared ? Rule::RaceShared : Rule::RaceGlobal;
}

void RaceCheck::found(const Visit& visit, const Access& earlier, const Slot& slot, uint64_t address, bool mixed_sizes) {
  const Shadow::Page* page = shadow_.page(address, visit.cluster);
  const bool shared = page != nullptr && page->is_shared();
  const Rule rule = judge(visit, earlier, slot, address, shared);
  if (ptx_model_ && rule == Rule::WarpSynchronous) return; // both strong: no race by the letter
  const bool reads = earlier.kind == AccessKind::Load || visit.access.kind == AccessKind::Load;
  const bool updates = earlier.kind == AccessKind::Atomic || visit.access.kind == AccessKind::Atomic;
  const bool guess = reads && updates && (rule == Rule::RaceShared || rule == Rule::RaceGlobal);
  const bool deferred = guess || rule == Rule::RaceSameValue;
  if (report_.again(rule, earlier, visit.access, deferred, shared)) return;
  Race race;
  race.rule = rule;
  race.address = address;
  race.object = memory_.lookup(address);
  race.earlier = earlier;
  race.earlier_lane = slot.lane();
  race.later = visit.access;
  race.later_lane = visit.lane;
  race.flag_site = visit.state->pending_site;
  race.mixed_sizes = mixed_sizes;
  const Access& later = visit.access;
  race.further_pass =
      earlier.block == later.block && (visit.again || came_by(of(later.block), later.warp, earlier.site));
  race.narrow_release =
      earlier.block != visit.access.block &&
      (fenced_narrowly(earlier, slot.lane()) ||
       covers(visit.state->narrow.released, {earlier.block, earlier.warp, slot.lane(), earlier.time}));
  if (guess)
    report_.defer(race, earlier.kind == AccessKind::Load ? earlier.site : visit.access.site);
  else if (deferred)
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

Published RaceCheck::publishes(const BlockClocks& clocks, const Access& access, uint32_t lane) const {
  if (releases(access.order)) {
    const ClockRef clock = clocks.release(access.warp, lane);
    return {clock, clocks.reaches_others(access.scope) ? clock : nullptr};
  }
  const LaneState& state = clocks.state(access.warp, lane);
  if (!state.fence_block.taken) return {};
  const ClockRef block = clocks.published(state.fence_block, access.warp, lane);
  if (!clocks.reaches_others(access.scope)) return {block, nullptr};
  if (state.fence_grid == state.fence_block) return {block, block};
  return {block, clocks.published(state.fence_grid, access.warp, lane)};
}

void RaceCheck::observe_lanes(Block& block, const MemoryEvent& event, const Access& access) {
  LaneMask rest = 0;
  each_lane(event.mask, [&](uint32_t lane) { rest |= LaneMask{sync_.may_be_near(event.address[lane])} << lane; });
  while (rest != 0) {
    const uint64_t address = event.address[std::countr_zero(rest)];
    LaneMask same = 0;
    each_lane(rest, [&](uint32_t lane) { same |= event.address[lane] == address ? LaneMask{1} << lane : 0; });
    rest &= ~same;
    const Observed seen = sync_.observed(address, access.block);
    if (seen.empty()) continue;
    const bool wide = block.clocks.reaches_others(access.scope);
    const ClockRef grid = wide ? seen.grid : nullptr;
    if (const Narrow narrow{seen.narrow, wide ? nullptr : seen.grid}; narrow != Narrow{})
      block.clocks.observe_narrowly(event.warp, same, narrow, acquires(access.order), access.site);
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
  const LaneState* common = block.clocks.common_state(access.warp);
  const bool publishes_nothing = common != nullptr && !common->fence_block.taken && !releases(access.order);
  if (publishes_nothing && (access.kind == AccessKind::Atomic || sync_.empty())) return;
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
  allow_shortcuts(block);
}

} // namespace tollgate::checks::race
