#include "exec/livelock.h"

#include "exec/address.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>

namespace tollgate::exec {

namespace {

constexpr uint64_t kWatchedTurns = 1 << 15;
constexpr unsigned kLongestPause = 1 << 12;
// Nanoseconds. None is near a multiple of 2^32, after which the short clock is back.
constexpr uint64_t kJumps[] = {1'000'000'007, 1'000'000'000'039, 1'000'000'000'000'037, 1'000'000'000'000'000'003};

} // namespace

uint64_t mix_bytes(uint64_t digest, const void* bytes, size_t size) {
  const auto* at = static_cast<const uint8_t*>(bytes);
  for (; size >= 8; size -= 8, at += 8) {
    uint64_t word;
    memcpy(&word, at, 8);
    digest = mix(digest, word);
  }
  for (; size != 0; --size) digest = mix(digest, *at++);
  return digest;
}

void LivelockWatch::round() {
  if (active_ || --pause_ != 0) return;
  active_ = true;
  turns_ = 0;
  registers_.clear();
  all_registers_ = 0;
  limit_ = 1;
  stands_at_ = jumps_ = 0;
  set_reference(0);
}

uint64_t LivelockWatch::clock(uint64_t now) {
  if (!active_) return now + ahead_;
  if (stands_at_ == 0) stands_at_ = now + ahead_;
  return stands_at_;
}

bool LivelockWatch::jump() {
  if (stands_at_ == 0 || jumps_ == std::size(kJumps)) return false;
  ahead_ += kJumps[jumps_];
  stands_at_ += kJumps[jumps_++];
  return true;
}

void LivelockWatch::progress() {
  active_ = false;
  pause_ = next_pause_ = 1;
}

void LivelockWatch::set_reference(uint64_t state) {
  reference_ = state;
  since_ = 0;
  reads_ = 0;
  polled_.clear();
  outside_ = false;
  period_ = 0;
}

bool LivelockWatch::turn(uint64_t block, uint64_t registers, uint64_t scheduler) {
  uint64_t& known = registers_[block];
  all_registers_ += registers - known;
  known = registers;
  const uint64_t state = mix(all_registers_, scheduler);
  ++since_;
  if (state == reference_) {
    const bool again = period_ == since_ && period_reads_ == reads_ && !outside_;
    if (again && !jump()) return true;
    const uint64_t length = since_, reads = reads_;
    const bool pure = !outside_;
    const uint64_t limit = limit_;
    set_reference(state);
    limit_ = std::max(limit, 4 * length); // leaves room for the stretch to be seen again
    if (pure) {
      period_ = length;
      period_reads_ = reads;
    }
  } else if (since_ >= limit_) {
    limit_ *= 2;
    set_reference(state);
  }
  if (++turns_ == kWatchedTurns) {
    active_ = false;
    next_pause_ = std::min(2 * next_pause_, kLongestPause);
    pause_ = next_pause_;
  }
  return false;
}

void LivelockWatch::note_access(const observe::MemoryEvent& event) {
  reads_ = mix(mix(reads_, event.site), event.mask);
  if (event.kind == observe::AccessKind::Store) return; // what it writes, and where, follows from what was read
  const uint64_t first = event.address[std::countr_zero(event.mask)];
  if (!kLocalRange.contains(first)) // nobody else can change that
    note_polled(event.block.linear, event.warp, event.mask, {event.site, first, false});
  for (observe::LaneMask left = event.mask; left != 0; left &= left - 1) {
    const uint64_t address = event.address[std::countr_zero(left)];
    reads_ = mix_bytes(mix(reads_, address), backing(address), event.bytes); // a fault here is the access's own
  }
}

void LivelockWatch::note_poll(uint64_t block, uint32_t warp, observe::LaneMask lanes, observe::SiteId site,
                              uint64_t mbarrier) {
  if (active_) note_polled(block, warp, lanes, {site, mbarrier, true});
}

void LivelockWatch::note_polled(uint64_t block, uint32_t warp, observe::LaneMask lanes, const Polled& at) {
  auto& list = polled_[{block, warp}];
  std::erase_if(list, [&](const Lanes& old) { return (old.mask & ~lanes) == 0 && old.at.mbarrier == at.mbarrier; });
  list.push_back({lanes, at});
}

LivelockWatch::Polled LivelockWatch::polled(uint64_t block, uint32_t warp, observe::LaneMask lanes) const {
  const auto known = polled_.find({block, warp});
  if (known == polled_.end()) return {};
  // A wait for an mbarrier object may read other things on the way.
  for (const bool mbarrier : {true, false})
    for (auto it = known->second.rbegin(); it != known->second.rend(); ++it)
      if ((it->mask & lanes) != 0 && it->at.mbarrier == mbarrier) return it->at;
  return {};
}

} // namespace tollgate::exec
