#include "exec/region.h"

#include "exec/mapping.h"
#include "exec/written.h"

#include <iterator>

namespace tollgate::exec {

Region::Region(Range range, bool shared, uint64_t chunk_bytes)
    : shared_(shared), chunk_bytes_(chunk_bytes), span_(range.begin, range.bytes) {}

Region::~Region() {
  for (auto [base, bytes] : alone_) unmap(base, bytes);
  for (auto& [base, contents] : chunks_) unmap(base, chunk_bytes_);
}

// 64 KiB keep neighbours of small objects in one page table; a large object gets as much as its alignment.
uint64_t Region::with_guard(uint64_t bytes) {
  return bytes >= 2 * kHugePage ? round_up(bytes, kHugePage) + kHugePage : bytes + 16 * kPage;
}

bool Region::map(uint64_t base, uint64_t bytes) const {
  return shared_ ? map_shared(base, bytes) : map_private(base, bytes);
}

void Region::unmap(uint64_t base, uint64_t bytes) const {
  shared_ ? unmap_shared(base, bytes) : unmap_private(base, bytes);
  discard_written(base, bytes);
}

uint64_t Region::map_fresh(uint64_t bytes, uint64_t align) {
  if (bytes >= 2 * kHugePage && align < kHugePage) align = kHugePage;
  auto base = span_.take(with_guard(bytes), align < kPage ? kPage : align);
  if (!base) return 0;
  if (map(*base, bytes)) return *base;
  span_.give(*base, with_guard(bytes));
  return 0;
}

Placement Region::place_alone(uint64_t bytes, uint64_t align) {
  bytes = round_up(bytes, kPage);
  uint64_t base = map_fresh(bytes, align);
  if (base) alone_.emplace(base, bytes);
  return {base, bytes, false};
}

Placement Region::place_packed(uint64_t bytes, uint64_t align) {
  bytes = round_up(bytes, 16);
  if (auto chunk = chunks_.find(current_); chunk != chunks_.end())
    if (auto base = chunk->second.take(bytes, align)) return {*base, bytes, true};
  for (auto& [start, contents] : chunks_) {
    if (auto base = contents.take(bytes, align)) {
      current_ = start;
      return {*base, bytes, true};
    }
  }
  uint64_t start = bytes <= chunk_bytes_ ? map_fresh(chunk_bytes_, align) : 0;
  if (!start) return {};
  current_ = start;
  auto chunk = chunks_.emplace(start, SpanAllocator(start, chunk_bytes_)).first;
  return {*chunk->second.take(bytes, align), bytes, true};
}

void Region::remove(const Placement& placement) {
  if (!placement.packed) {
    unmap(placement.base, placement.bytes);
    alone_.erase(placement.base);
    span_.give(placement.base, with_guard(placement.bytes));
    return;
  }
  auto chunk = std::prev(chunks_.upper_bound(placement.base));
  chunk->second.give(placement.base, placement.bytes);
  if (chunk->second.used() == 0 && chunk->first != current_) {
    unmap(chunk->first, chunk_bytes_);
    span_.give(chunk->first, with_guard(chunk_bytes_));
    chunks_.erase(chunk);
  } else if (placement.bytes >= 16 * kPage) {
    discard(placement.base, placement.bytes, shared_);
    discard_written(placement.base, placement.bytes);
  }
}

uint64_t Region::reserve(uint64_t bytes) { return span_.take(with_guard(bytes), kPage).value_or(0); }

void Region::unreserve(uint64_t base, uint64_t bytes) { span_.give(base, with_guard(bytes)); }

} // namespace tollgate::exec
