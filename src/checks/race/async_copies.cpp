#include "checks/race/async_copies.h"

#include "base/each_lane.h"
#include "checks/race/block_clocks.h"

#include <algorithm>
#include <bit>

namespace tollgate::checks::race {

namespace {

bool overlap(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes) { return a < b + b_bytes && b < a + a_bytes; }

// Whether a thread knows of something that happened at `epoch`.
bool knows(const LaneState& state, uint32_t warp, uint32_t lane, uint64_t block, const Epoch& epoch) {
  if (epoch.time == 0) return false;
  if (epoch.block == block && epoch.warp == warp && epoch.lane == lane) return true; // its own past
  return covers(state.clock, epoch);
}

} // namespace

AsyncCopies::Issuer& AsyncCopies::issuer(uint32_t warp, uint32_t lane, bool bulk) {
  return issuers_[(uint64_t{warp} * observe::warp_size + lane) * 2 + (bulk ? 1 : 0)];
}

void AsyncCopies::index(uint32_t number) {
  const AsyncCopy& copy = copies_[number];
  if (copy.bulk) {
    at_[0].push_back(number);
    return;
  }
  at_[copy.to / granule].push_back(number);
  if (copy.bytes_read != 0) at_[copy.from / granule].push_back(number);
}

void AsyncCopies::issue(const AsyncCopy& copy) {
  const uint32_t number = next_++;
  copies_.emplace(number, copy);
  index(number);
  const bool in_groups = copy.signalled.time == 0; // complete with an mbarrier's bytes otherwise
  if (in_groups) issuer(copy.access.warp, copy.lane, copy.bulk).open.push_back(number);
}

void AsyncCopies::commit(uint32_t warp, LaneMask lanes, bool bulk) {
  each_lane(lanes, [&](uint32_t lane) {
    Issuer& thread = issuer(warp, lane, bulk);
    thread.pending.insert(thread.pending.end(), thread.open.begin(), thread.open.end());
    thread.ends.push_back(thread.pending.size());
    thread.open.clear();
  });
}

// A wait is a moment in its thread's life: whoever knows of that moment knows that the copies are complete.
void AsyncCopies::wait(BlockClocks& clocks, uint32_t warp, LaneMask lanes, uint32_t groups, bool bulk, bool read_only) {
  clocks.tick();
  each_lane(lanes, [&](uint32_t lane) {
    const Epoch now{clocks.block(), warp, lane, clocks.now()};
    Issuer& thread = issuer(warp, lane, bulk);
    auto finish = [&](uint32_t number) {
      const auto copy = copies_.find(number);
      if (copy == copies_.end()) return;
      if (copy->second.read_waited_for.time == 0) copy->second.read_waited_for = now; // the first wait counts
      if (!read_only) copy->second.waited_for = now;
    };
    const bool all = groups == observe::no_groups;
    if (all) {
      std::ranges::for_each(thread.open, finish);
      thread.open.clear();
    }
    const size_t complete =
        all ? thread.ends.size() : thread.ends.size() - std::min<size_t>(groups, thread.ends.size());
    if (complete == 0) return;
    const size_t end = thread.ends[complete - 1];
    std::for_each(thread.pending.begin(), thread.pending.begin() + static_cast<std::ptrdiff_t>(end), finish);
    if (read_only) return; // they may be waited for once more
    thread.pending.erase(thread.pending.begin(), thread.pending.begin() + static_cast<std::ptrdiff_t>(end));
    thread.ends.erase(thread.ends.begin(), thread.ends.begin() + static_cast<std::ptrdiff_t>(complete));
    for (size_t& other : thread.ends) other -= end;
  });
}

namespace {

// What a completed phase tells: the signal, and the issue itself, by which the accesses of the copy are known.
ClockRef told(uint64_t block, uint32_t warp, LaneMask lanes, Time issued, const Epoch& signal, LaneMask signals) {
  BlockView view;
  view.learn(signal.warp, signals, signal.time);
  const ClockRef complete = std::make_shared<const VectorClock>(signal.block, std::move(view));
  return VectorClock::join(VectorClock::learn(nullptr, block, warp, lanes, issued), complete, block);
}

} // namespace

ClockRef AsyncCopies::arrive(BlockClocks& clocks, uint32_t warp, LaneMask lanes) {
  const uint64_t block = clocks.block();
  const Time time = ++signals_, issued = clocks.now();
  clocks.tick();
  each_lane(lanes, [&](uint32_t lane) {
    const Epoch signal{copier_of(block), warp, lane, time};
    Issuer& thread = issuer(warp, lane, false);
    std::erase_if(thread.open, [&](uint32_t number) { return !copies_.contains(number); });
    for (const Copies* numbers : {&thread.pending, &thread.open})
      for (const uint32_t number : *numbers) {
        const auto copy = copies_.find(number);
        if (copy != copies_.end() && copy->second.signalled.time == 0)
          copy->second.signalled = signal; // the first counts
      }
  });
  return told(block, warp, lanes, issued, {copier_of(block), warp, 0, time}, lanes);
}

ClockRef AsyncCopies::complete(BlockClocks& clocks, AsyncCopy& copy) {
  const uint64_t block = clocks.block();
  clocks.tick();
  constexpr uint32_t by_bytes = 1u << 16; // beyond every warp: each bulk copy is a thread of its own
  copy.signalled = {copier_of(block), by_bytes + next_ / observe::warp_size, next_ % observe::warp_size, ++signals_};
  const Time issued = clocks.now(); // its accesses are about to be told
  return told(block, copy.access.warp, LaneMask{1} << copy.lane, issued, copy.signalled,
              LaneMask{1} << copy.signalled.lane);
}

AsyncFault AsyncCopies::fault(const AsyncCopy& copy, const LaneState& state, uint32_t warp, uint32_t lane,
                              uint64_t address, uint32_t bytes, bool writes) const {
  const bool target = overlap(address, bytes, copy.to, copy.bytes);
  const bool source = writes && overlap(address, bytes, copy.from, copy.bytes_read);
  if (!target && !source) return AsyncFault::None;
  const uint64_t block = copy.access.block;
  if (!knows(state, warp, lane, block, {block, copy.access.warp, copy.lane, copy.access.time})) return AsyncFault::None;
  if (knows(state, warp, lane, block, copy.signalled) || knows(state, warp, lane, block, copy.waited_for))
    return AsyncFault::None;
  if (!target)
    return knows(state, warp, lane, block, copy.read_waited_for) ? AsyncFault::None : AsyncFault::SourceChanged;
  return copy.waited_for.time != 0 || copy.signalled.time != 0 ? AsyncFault::WaitedElsewhere : AsyncFault::NotComplete;
}

AsyncCopies::Clash AsyncCopies::find(const LaneState& state, uint32_t warp, uint32_t lane, uint64_t address,
                                     uint32_t bytes, bool writes) const {
  auto among = [&](uint64_t key) -> Clash {
    const auto found = at_.find(key);
    if (found == at_.end()) return {};
    for (const uint32_t number : found->second) {
      const AsyncCopy& copy = copies_.at(number);
      if (const AsyncFault what = fault(copy, state, warp, lane, address, bytes, writes); what != AsyncFault::None)
        return {&copy, what};
    }
    return {};
  };
  if (const Clash clash = among(0); clash.copy != nullptr) return clash;
  for (uint64_t key = address / granule; key <= (address + bytes - 1) / granule; ++key)
    if (const Clash clash = among(key); clash.copy != nullptr) return clash;
  return {};
}

const AsyncCopy* AsyncCopies::unread() const {
  for (const auto& [number, copy] : copies_)
    if (copy.bulk && copy.signalled.time == 0 && copy.read_waited_for.time == 0) return &copy;
  return nullptr;
}

void AsyncCopies::prune(const BlockClocks& clocks, uint32_t warps) {
  auto known_by = [](const LaneState* state, const Epoch& epoch) {
    return state != nullptr && epoch.time != 0 && covers(state->clock, epoch);
  };
  auto everybody_knows = [&](const AsyncCopy& copy) {
    for (uint32_t warp = 0; warp < warps; ++warp) {
      const LaneState* state = clocks.common_state(warp);
      if (!known_by(state, copy.signalled) && !known_by(state, copy.waited_for)) return false;
    }
    return true;
  };
  if (std::erase_if(copies_, [&](const auto& entry) { return everybody_knows(entry.second); }) == 0) return;
  at_.clear();
  for (const auto& [number, copy] : copies_) index(number);
}

} // namespace tollgate::checks::race
