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

// One slab for each resident block, at multiples of 4 GiB; blocks of a cluster share such a window (address.h).
class SharedSlabs {
public:
  SharedSlabs() = default;
  SharedSlabs(const SharedSlabs&) = delete;
  SharedSlabs& operator=(const SharedSlabs&) = delete;
  ~SharedSlabs();

  uint64_t acquire(uint64_t bytes); // device address; 0 if all slabs are taken or `bytes` exceeds kMaxSlabBytes
  // The slabs of a cluster's blocks: the first; that of rank r lies 2 * r * kSharedWindow higher.
  uint64_t acquire_cluster(unsigned blocks, uint64_t bytes);
  void release(uint64_t slab); // what one of these two returned
  // A block of a cluster has left while others still run: whoever touches its memory faults, until it is `live` again.
  void set_live(uint64_t slab, bool live);

  // The slab around `address`: size 0 if none was acquired there. Lock-free.
  struct Slab {
    uint64_t base = 0;
    uint32_t size = 0;
    bool live = false;
  };
  [[nodiscard]] Slab at(uint64_t address) const {
    const Window& window = windows_[(address - kSharedRange.begin) / kSlabSpacing];
    const uint32_t acquired = window.acquired.load(std::memory_order_relaxed);
    const uint64_t slot = acquired == kAlone ? 0 : address % kSlabSpacing / kSharedWindow;
    if (slot >= 32 || (acquired >> slot & 1) == 0) return {};
    return {address / kSlabSpacing * kSlabSpacing + slot * kSharedWindow, window.size.load(std::memory_order_relaxed),
            (window.live.load(std::memory_order_relaxed) >> slot & 1) != 0};
  }
  [[nodiscard]] bool contains(uint64_t address, uint64_t bytes) const {
    const Slab slab = at(address);
    const uint64_t offset = address - slab.base;
    return slab.live && offset < slab.size && bytes <= slab.size - offset;
  }

private:
  static constexpr uint32_t kAlone = 1; // slot 0: the window of a block without a cluster
  struct Window {
    std::atomic<uint32_t> size{0}, acquired{0}, live{0}; // the masks by slot of kSharedWindow
  };
  uint64_t acquire_slots(uint32_t slots, uint64_t bytes);
  bool resize(uint64_t slab, uint32_t wanted);

  std::mutex mutex_;
  std::vector<uint32_t> free_;          // windows; last in, first out: warm in the cache
  uint32_t next_ = 0;                   // windows from here on were never used
  std::map<uint64_t, uint32_t> mapped_; // bytes by slab
  std::array<Window, kMaxSlabs> windows_{};
};

// Local memory of a group of lanes: lane i has [base + i * stride, base + (i + 1) * stride).
class LocalArenas {
public:
  LocalArenas() : span_(kLocalRange.begin, kLocalRange.bytes) {}
  LocalArenas(const LocalArenas&) = delete;
  LocalArenas& operator=(const LocalArenas&) = delete;
  ~LocalArenas();

  struct Arena {
    uint64_t base = 0;
    bool changed = false; // new, or of another size than the last time: the caller makes it known
  };
  Arena acquire(uint64_t bytes); // base 0 if the host refuses
  void release(uint64_t base);

private:
  static uint64_t spacing(uint64_t bytes);

  std::mutex mutex_;
  SpanAllocator span_;
  struct Size {
    uint64_t mapped = 0, asked = 0;
  };
  std::map<uint64_t, Size> arenas_;                // by base
  std::map<uint64_t, std::vector<uint64_t>> free_; // mapped bytes -> bases
};

} // namespace tollgate::exec
