// Memory of resident blocks: shared slabs and local arenas. Both are mapped at first use, recycled and never zeroed.
#pragma once

#include "exec/address.h"
#include "exec/span_allocator.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace tollgate::exec {

// One slab for each resident block, at multiples of 4 GiB.
class SharedSlabs {
public:
  SharedSlabs() = default;
  SharedSlabs(const SharedSlabs&) = delete;
  SharedSlabs& operator=(const SharedSlabs&) = delete;
  ~SharedSlabs();

  uint64_t acquire(uint64_t bytes); // device address; 0 if all slabs are taken or `bytes` exceeds kMaxSlabBytes
  void release(uint64_t slab);

  // Size of the acquired slab around `address`, 0 if none. Lock-free.
  [[nodiscard]] uint32_t size_at(uint64_t address) const {
    return size_[(address - kSharedRange.begin) / kSlabSpacing].load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool contains(uint64_t address, uint64_t bytes) const {
    uint64_t offset = address % kSlabSpacing, size = size_at(address);
    return offset < size && bytes <= size - offset;
  }

private:
  static bool resize(uint64_t slab, uint32_t& mapped, uint32_t wanted);

  std::mutex mutex_;
  std::vector<uint32_t> free_; // last in, first out: warm in the cache
  uint32_t next_ = 0;          // slabs from here on were never used
  std::array<uint32_t, kMaxSlabs> mapped_{};
  std::array<std::atomic<uint32_t>, kMaxSlabs> size_{};
};

// Local memory of a group of lanes: lane i has [base + i * stride, base + (i + 1) * stride).
class LocalArenas {
public:
  LocalArenas() : span_(kLocalRange.begin, kLocalRange.bytes) {}
  LocalArenas(const LocalArenas&) = delete;
  LocalArenas& operator=(const LocalArenas&) = delete;
  ~LocalArenas();

  struct Arena {
    uint64_t base = 0, bytes = 0;
    bool fresh = false; // just mapped: the caller makes it known
  };
  Arena acquire(uint64_t bytes); // base 0 if the host refuses
  void release(uint64_t base);

private:
  static uint64_t spacing(uint64_t bytes);

  std::mutex mutex_;
  SpanAllocator span_;
  std::map<uint64_t, uint64_t> arenas_;            // base -> bytes
  std::map<uint64_t, std::vector<uint64_t>> free_; // bytes -> bases
};

} // namespace tollgate::exec
