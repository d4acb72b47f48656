#include "exec/block_memory.h"

#include "exec/mapping.h"

#include <bit>
#include <utility>

namespace tollgate::exec {

namespace {

uint64_t window_address(uint32_t index) { return kSharedRange.begin + index * kSlabSpacing; }
uint32_t window_index(uint64_t address) { return static_cast<uint32_t>((address - kSharedRange.begin) / kSlabSpacing); }
uint32_t slot_of(uint64_t slab) { return static_cast<uint32_t>(slab % kSlabSpacing / kSharedWindow); }

template <typename Fn> void each_slot(uint32_t slots, Fn fn) {
  for (; slots != 0; slots &= slots - 1) fn(static_cast<uint64_t>(std::countr_zero(slots)));
}

} // namespace

SharedSlabs::~SharedSlabs() {
  for (auto [slab, bytes] : mapped_) unmap_private(slab, bytes);
}

uint64_t SharedSlabs::acquire(uint64_t bytes) { return acquire_slots(kAlone, bytes); }

uint64_t SharedSlabs::acquire_cluster(unsigned blocks, uint64_t bytes) {
  uint32_t slots = 0;
  for (unsigned rank = 0; rank < blocks; ++rank) slots |= 1u << cluster_slot(rank) / kSharedWindow;
  const uint64_t window = acquire_slots(slots, bytes);
  return window == 0 ? 0 : window + cluster_slot(0);
}

uint64_t SharedSlabs::acquire_slots(uint32_t slots, uint64_t bytes) {
  if (bytes > kMaxSlabBytes) return 0;
  std::lock_guard lock(mutex_);
  if (free_.empty() && next_ == kMaxSlabs) return 0;
  const uint32_t index = free_.empty() ? next_ : free_.back();
  const auto wanted = static_cast<uint32_t>(round_up(bytes, kPage));
  bool mapped = true;
  each_slot(slots, [&](uint64_t slot) { mapped &= resize(window_address(index) + slot * kSharedWindow, wanted); });
  if (!mapped) return 0;
  if (free_.empty())
    ++next_;
  else
    free_.pop_back();
  Window& window = windows_[index];
  window.size.store(static_cast<uint32_t>(bytes), std::memory_order_relaxed);
  window.live.store(slots, std::memory_order_relaxed);
  window.acquired.store(slots, std::memory_order_relaxed);
  return window_address(index);
}

// Only what was asked for is mapped, so that the rest faults.
bool SharedSlabs::resize(uint64_t slab, uint32_t wanted) {
  uint32_t& mapped = mapped_[slab];
  if (wanted < mapped) unmap_private(slab + wanted, mapped - wanted);
  if (wanted > mapped && !map_private(slab + mapped, wanted - mapped)) return false;
  mapped = wanted;
  return true;
}

void SharedSlabs::set_live(uint64_t slab, bool live) {
  Window& window = windows_[window_index(slab)];
  const uint32_t bit = 1u << slot_of(slab);
  const uint32_t before = live ? window.live.fetch_or(bit) : window.live.fetch_and(~bit);
  if (((before & bit) != 0) == live) return;
  set_accessible(slab, round_up(window.size.load(std::memory_order_relaxed), kPage), live);
}

void SharedSlabs::release(uint64_t slab) {
  if (!kSharedRange.contains(slab)) return;
  const uint32_t index = window_index(slab);
  Window& window = windows_[index];
  each_slot(window.acquired, [&](uint64_t slot) { set_live(window_address(index) + slot * kSharedWindow, true); });
  std::lock_guard lock(mutex_);
  window.acquired.store(0, std::memory_order_relaxed);
  window.live.store(0, std::memory_order_relaxed);
  window.size.store(0, std::memory_order_relaxed);
  free_.push_back(index);
}

LocalArenas::~LocalArenas() {
  for (auto [base, size] : arenas_) unmap_private(base, size.mapped);
}

uint64_t LocalArenas::spacing(uint64_t bytes) { return bytes + 16 * kPage; } // the rest stays unmapped

LocalArenas::Arena LocalArenas::acquire(uint64_t asked) {
  uint64_t bytes = round_up(asked ? asked : 1, kPage);
  std::lock_guard lock(mutex_);
  auto& free = free_[bytes];
  if (!free.empty()) {
    uint64_t base = free.back();
    free.pop_back();
    return {base, std::exchange(arenas_.at(base).asked, asked) != asked};
  }
  auto base = span_.take(spacing(bytes), kPage);
  if (!base) return {};
  if (!map_private(*base, bytes)) {
    span_.give(*base, spacing(bytes));
    return {};
  }
  arenas_.emplace(*base, Size{bytes, asked});
  return {*base, true};
}

void LocalArenas::release(uint64_t base) {
  std::lock_guard lock(mutex_);
  auto arena = arenas_.find(base);
  if (arena != arenas_.end()) free_[arena->second.mapped].push_back(base);
}

} // namespace tollgate::exec
