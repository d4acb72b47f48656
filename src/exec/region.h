// A part of the window from which objects are placed. While few mappings are alive each object has pages of its own
// and unmapped addresses behind them; later small objects share chunks, because the kernel limits a process to
// vm.max_map_count mappings (65,530 by default).
#pragma once

#include "exec/address.h"
#include "exec/span_allocator.h"

#include <cstdint>
#include <map>

namespace tollgate::exec {

struct Placement {
  uint64_t base = 0;  // 0: could not be placed
  uint64_t bytes = 0; // what it occupies, without the guard
  bool packed = false;
};

class Region {
public:
  Region(Range range, bool shared, uint64_t chunk_bytes);
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  ~Region();

  Placement place_alone(uint64_t bytes, uint64_t align);
  Placement place_packed(uint64_t bytes, uint64_t align);
  void remove(const Placement& placement);

  // Addresses without memory, for mappings made elsewhere; `bytes` is a multiple of the page size.
  uint64_t reserve(uint64_t bytes);
  void unreserve(uint64_t base, uint64_t bytes);

  [[nodiscard]] size_t mappings() const { return alone_.size() + chunks_.size(); }

private:
  static uint64_t with_guard(uint64_t bytes);
  bool map(uint64_t base, uint64_t bytes) const;
  void unmap(uint64_t base, uint64_t bytes) const;
  uint64_t map_fresh(uint64_t bytes, uint64_t align);

  bool shared_; // visible to the host at the same address
  uint64_t chunk_bytes_;
  SpanAllocator span_;
  std::map<uint64_t, uint64_t> alone_;       // base -> bytes mapped
  std::map<uint64_t, SpanAllocator> chunks_; // base -> its contents
  uint64_t current_ = 0;                     // the chunk that was used last
};

} // namespace tollgate::exec
