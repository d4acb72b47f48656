// race-async: copies that are used before they are complete, and bulk copies of what the ordinary proxy wrote without a
// fence between the two (PTX ISA 8.6, Proxies; 9.7.9.25, Asynchronous copy).
#include "base/each_lane.h"
#include "checks/race/race_check.h"

#include <algorithm>
#include <bit>

namespace tollgate::checks::race {

using observe::AsyncEvent;
using observe::AsyncOp;

namespace {

Access made_by(const Access& thread, observe::AccessKind kind, uint32_t bytes) {
  Access access = thread;
  access.kind = kind;
  access.bytes = static_cast<uint8_t>(bytes);
  return access;
}

} // namespace

void RaceCheck::on_async(const AsyncEvent& event) {
  Block& block = settled(event.block.linear);
  block.written = true; // copies may go to shared memory
  const auto wait = [&](bool bulk, bool read_only) {
    block.copies.wait(block.clocks, event.warp, event.mask, event.groups, bulk, read_only);
  };
  switch (event.op) {
  case AsyncOp::Copy:
  case AsyncOp::BulkCopy: issue_copies(block, event); break;
  case AsyncOp::Commit: block.copies.commit(event.warp, event.mask, false); break;
  case AsyncOp::BulkCommit: block.copies.commit(event.warp, event.mask, true); break;
  case AsyncOp::Wait: wait(false, false); break;
  case AsyncOp::BulkWait: wait(true, false); break;
  case AsyncOp::BulkWaitRead: wait(true, true); break;
  case AsyncOp::ProxyFence: block.clocks.proxy_fence(event.warp, event.mask); break;
  case AsyncOp::MbarrierArrive:
    each_lane(event.mask, [&](uint32_t lane) {
      Mbarrier& barrier = clusters_[block.cluster].mbarriers[event.mbarrier[lane]];
      const ClockRef copies = block.copies.arrive(block.clocks, event.warp, LaneMask{1} << lane);
      barrier.arrived = VectorClock::join(barrier.arrived, copies, block.clocks.block());
    });
    break;
  }
  allow_shortcuts(block);
}

void RaceCheck::issue_copies(Block& block, const AsyncEvent& event) {
  const bool bulk = event.op == AsyncOp::BulkCopy;
  if (bulk) bulk_copies_.insert(event.site);
  AsyncCopy copy;
  copy.access.block = block.clocks.block();
  copy.access.time = block.clocks.now();
  copy.access.site = event.site;
  copy.access.warp = event.warp;
  copy.bulk = bulk;
  each_lane(event.mask, [&](uint32_t lane) {
    copy.lane = lane;
    copy.to = event.to[lane], copy.from = event.from[lane];
    copy.bytes = event.bytes[lane], copy.bytes_read = std::min(event.bytes_read[lane], copy.bytes);
    copy.access = made_by(copy.access, observe::AccessKind::Store, copy.bytes);
    meet_copy(block, copy.access, lane, copy.to, copy.bytes, true);
    if (copy.bytes_read != 0)
      meet_copy(block, made_by(copy.access, observe::AccessKind::Load, copy.bytes), lane, copy.from, copy.bytes_read,
                false);
    if (bulk) {
      check_proxy(block, made_by(copy.access, observe::AccessKind::Load, copy.bytes), lane, copy.from, copy.bytes_read);
      if (memory_.lookup(copy.to).kind == observe::AllocationInfo::Kind::Shared)
        check_proxy(block, copy.access, lane, copy.to, copy.bytes);
    }
    copy.signalled = {};
    if (bulk && event.mbarrier != nullptr) {
      Mbarrier& barrier = clusters_[block.cluster].mbarriers[event.mbarrier[lane]];
      barrier.arrived =
          VectorClock::join(barrier.arrived, block.copies.complete(block.clocks, copy), copy.access.block);
    }
    block.copies.issue(copy);
  });
}

// The shared memory of a block is gone with it: a bulk copy must have read it before.
void RaceCheck::end_copies(const Block& block) {
  const AsyncCopy* copy = block.copies.unread();
  if (copy == nullptr) return;
  Race race;
  race.rule = Rule::RaceAsync;
  race.async = AsyncFault::Exited;
  race.address = copy->from;
  race.object = memory_.lookup(copy->from);
  race.earlier = race.later = copy->access;
  race.earlier_lane = race.later_lane = copy->lane;
  report_.add(race);
}

void RaceCheck::meet_copies(const Block& block, const observe::MemoryEvent& event, const Access& access) {
  each_lane(event.mask,
            [&](uint32_t lane) { meet_copy(block, access, lane, event.address[lane], event.bytes, access.writes()); });
}

void RaceCheck::meet_copy(const Block& block, const Access& access, uint32_t lane, uint64_t address, uint32_t bytes,
                          bool writes) {
  const LaneState& state = block.clocks.state(access.warp, lane);
  const AsyncCopies::Clash clash = block.copies.find(state, access.warp, lane, address, bytes, writes);
  if (clash.copy == nullptr) return;
  Race race;
  race.rule = Rule::RaceAsync;
  race.async = clash.fault;
  race.address = address;
  race.object = memory_.lookup(address);
  race.earlier = clash.copy->access;
  race.earlier_lane = clash.copy->lane;
  race.later = access;
  race.later_lane = lane;
  race.both_copy = bulk_copies_.contains(access.site) || access.site == clash.copy->access.site;
  report_.add(race);
}

// The ordinary writes that a bulk copy meets must be ordered before it through a fence.proxy.async, wherever on the way
// that stands (PTX ISA 8.9.5, proxy-preserved base causality order). Those of other blocks are not followed.
void RaceCheck::check_proxy(const Block& block, const Access& access, uint32_t lane, uint64_t address, uint32_t bytes) {
  const LaneState& state = block.clocks.state(access.warp, lane);
  for (uint64_t at = address & ~uint64_t{granule_bytes - 1}; at < address + bytes; at += granule_bytes) {
    Shadow::Page* page = shadow_.page(at, block.cluster);
    if (page == nullptr) return;
    for (const Slot& slot : page->cell(at, shadow_, records_).slots) {
      const std::optional<Access> earlier = access_of(slot, records_);
      if (!earlier || !earlier->writes() || earlier->block != access.block || bulk_copies_.contains(earlier->site))
        continue;
      const Epoch epoch{access.block, earlier->warp, slot.lane(), earlier->time};
      const bool own = earlier->warp == access.warp && slot.lane() == lane;
      if (!own && !covers(state.clock, epoch)) continue; // an ordinary race
      if (covers(state.clock, {proxy_of(access.block), earlier->warp, slot.lane(), earlier->time})) continue;
      Race race;
      race.rule = Rule::RaceAsync;
      race.address = at;
      race.object = memory_.lookup(at);
      race.earlier = *earlier;
      race.earlier_lane = slot.lane();
      race.later = access;
      race.later_lane = lane;
      report_.add(race);
      return;
    }
  }
}

} // namespace tollgate::checks::race
