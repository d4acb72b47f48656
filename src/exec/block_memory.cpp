#include "exec/block_memory.h"

#include "exec/mapping.h"

#include <utility>

namespace tollgate::exec {

namespace {
uint64_t slab_address(uint32_t index) { return kSharedRange.begin + index * kSlabSpacing; }
uint32_t slab_index(uint64_t address) { return static_cast<uint32_t>((address - kSharedRange.begin) / kSlabSpacing); }
} // namespace

SharedSlabs::~SharedSlabs() {
  for (uint32_t i = 0; i < next_; ++i)
    if (mapped_[i]) unmap_private(slab_address(i), mapped_[i]);
}

uint64_t SharedSlabs::acquire(uint64_t bytes) {
  if (bytes > kMaxSlabBytes) return 0;
  std::lock_guard lock(mutex_);
  if (free_.empty() && next_ == kMaxSlabs) return 0;
  uint32_t index = free_.empty() ? next_ : free_.back();
  auto wanted = static_cast<uint32_t>(round_up(bytes, kPage));
  if (mapped_[index] != wanted && !resize(slab_address(index), mapped_[index], wanted)) return 0;
  if (free_.empty())
    ++next_;
  else
    free_.pop_back();
  size_[index].store(static_cast<uint32_t>(bytes), std::memory_order_relaxed);
  return slab_address(index);
}

// Only what was asked for is mapped, so that the rest of the 4 GiB faults.
bool SharedSlabs::resize(uint64_t slab, uint32_t& mapped, uint32_t wanted) {
  if (wanted < mapped) unmap_private(slab + wanted, mapped - wanted);
  if (wanted > mapped && !map_private(slab + mapped, wanted - mapped)) return false;
  mapped = wanted;
  return true;
}

void SharedSlabs::release(uint64_t slab) {
  if (!kSharedRange.contains(slab)) return;
  std::lock_guard lock(mutex_);
  size_[slab_index(slab)].store(0, std::memory_order_relaxed);
  free_.push_back(slab_index(slab));
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
