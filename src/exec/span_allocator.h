// Hands out spans of a range of numbers; it never touches memory. Fresh addresses are preferred over freed ones as
// long as the range lasts, so that a dangling address stays dangling.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace tollgate::exec {

class SpanAllocator {
public:
  SpanAllocator(uint64_t begin, uint64_t bytes) : fresh_(begin), end_(begin + bytes) {}

  // `align` is a power of two. nullopt: no span of that size is left.
  std::optional<uint64_t> take(uint64_t bytes, uint64_t align);
  void give(uint64_t base, uint64_t bytes); // exactly what take was asked for
  [[nodiscard]] uint64_t used() const { return used_; }

private:
  std::optional<uint64_t> take_fresh(uint64_t bytes, uint64_t align);
  std::optional<uint64_t> take_freed(uint64_t bytes, uint64_t align);
  void insert(uint64_t base, uint64_t bytes);
  void erase(std::map<uint64_t, uint64_t>::iterator span);

  uint64_t fresh_, end_; // [fresh_, end_) was never handed out
  uint64_t used_ = 0;
  std::map<uint64_t, uint64_t> by_address_;         // freed spans: base -> bytes, coalesced
  std::set<std::pair<uint64_t, uint64_t>> by_size_; // the same: (bytes, base)
};

} // namespace tollgate::exec
