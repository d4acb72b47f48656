#include "exec/span_allocator.h"

#include <iterator>

namespace tollgate::exec {

namespace {
uint64_t align_up(uint64_t value, uint64_t align) { return (value + align - 1) & ~(align - 1); }
} // namespace

std::optional<uint64_t> SpanAllocator::take(uint64_t bytes, uint64_t align) {
  auto base = take_fresh(bytes, align);
  if (!base) base = take_freed(bytes, align);
  if (base) used_ += bytes;
  return base;
}

std::optional<uint64_t> SpanAllocator::take_fresh(uint64_t bytes, uint64_t align) {
  uint64_t base = align_up(fresh_, align);
  if (base > end_ || end_ - base < bytes) return std::nullopt;
  if (base > fresh_) insert(fresh_, base - fresh_);
  fresh_ = base + bytes;
  return base;
}

// Best fit: the smallest freed span that holds `bytes` at the wanted alignment.
std::optional<uint64_t> SpanAllocator::take_freed(uint64_t bytes, uint64_t align) {
  for (auto it = by_size_.lower_bound({bytes, 0}); it != by_size_.end(); ++it) {
    auto [size, start] = *it;
    uint64_t base = align_up(start, align);
    if (base - start > size || size - (base - start) < bytes) continue;
    erase(by_address_.find(start));
    if (base > start) insert(start, base - start);
    if (start + size > base + bytes) insert(base + bytes, start + size - base - bytes);
    return base;
  }
  return std::nullopt;
}

void SpanAllocator::give(uint64_t base, uint64_t bytes) {
  used_ -= bytes;
  insert(base, bytes);
}

void SpanAllocator::insert(uint64_t base, uint64_t bytes) {
  if (bytes == 0) return;
  auto next = by_address_.lower_bound(base);
  if (next != by_address_.begin()) {
    auto previous = std::prev(next);
    if (previous->first + previous->second == base) {
      base = previous->first;
      bytes += previous->second;
      erase(previous);
    }
  }
  if (next != by_address_.end() && base + bytes == next->first) {
    bytes += next->second;
    erase(next);
  }
  by_address_.emplace(base, bytes);
  by_size_.emplace(bytes, base);
}

void SpanAllocator::erase(std::map<uint64_t, uint64_t>::iterator span) {
  by_size_.erase({span->second, span->first});
  by_address_.erase(span);
}

} // namespace tollgate::exec
