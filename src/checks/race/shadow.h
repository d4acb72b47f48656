// Shadow memory: who touched each granule of four bytes last. Slots refer to access records, one for each
// instruction, warp and time; both are bounded. Forgetting an access may miss a race and never invents one.
#pragma once

#include "checks/race/vector_clock.h"

#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

namespace tollgate::checks::race {

// One warp instruction at one time of its block. Lanes are told apart by the slots.
struct Access {
  uint64_t block = 0;
  Time time = 0;
  observe::SiteId site = 0;
  uint32_t warp = 0;
  observe::AccessKind kind = observe::AccessKind::Load;
  observe::Order order = observe::Order::Weak;
  observe::SyncScope scope = observe::SyncScope::None;
  uint8_t bytes = 0;
  bool many_lanes = false; // several lanes, at different addresses

  [[nodiscard]] bool is_strong() const { return order != observe::Order::Weak; }
  [[nodiscard]] bool writes() const { return kind != observe::AccessKind::Load; }
  [[nodiscard]] bool operator==(const Access&) const = default;
};

using AccessId = uint32_t; // 0: none

class AccessRecords {
public:
  AccessId add(const Access& access);
  // Null if the record has been overwritten, or belongs to an earlier launch.
  [[nodiscard]] const Access* find(AccessId id) const {
    return id < first_ || next_ - id > ring_.size() ? nullptr : &ring_[id % capacity];
  }
  // A kernel boundary orders everything before it. True if the numbers began anew: the shadow must be cleared.
  [[nodiscard]] bool begin_launch();
  [[nodiscard]] bool exhausted() const { return next_ >= UINT32_MAX - 1; }

private:
  static constexpr uint32_t capacity = 1u << 22;
  std::vector<Access> ring_{1};
  AccessId first_ = 1, next_ = 1;
};

struct Slot {
  AccessId access = 0;
  uint8_t lane = 0;
  uint8_t bytes = 0; // of the granule: a bit each
};

constexpr unsigned granule_bytes = 4, slots_per_cell = 4, line_bytes = 128,
                   granules_per_line = line_bytes / granule_bytes;

// The last accesses to a granule, or to a whole line.
struct Cell {
  std::array<Slot, slots_per_cell> slots;
};

// While all accesses to a line come from whole warps side by side, one cell stands for it: slot.lane is the lane of the
// first granule then, and the access's size says where the others are. At the first other access the line expands.
class Shadow {
public:
  static constexpr uint64_t page_bytes = 4096;
  static constexpr unsigned lines_per_page = page_bytes / line_bytes;

  class Page {
  public:
    [[nodiscard]] bool is_shared() const { return shared_; }
    // The cell of a whole line, or null if it has expanded.
    [[nodiscard]] Cell* line(uint64_t address) {
      const unsigned line = address % page_bytes / line_bytes;
      return (expanded_ >> line & 1) != 0 ? nullptr : &lines_[line];
    }
    [[nodiscard]] Cell& cell(uint64_t address, const AccessRecords& records) {
      const unsigned granule = address % page_bytes / granule_bytes;
      if ((expanded_ >> (granule / granules_per_line) & 1) == 0) expand(granule / granules_per_line, records);
      return (*cells_)[granule];
    }

  private:
    friend class Shadow;
    void expand(unsigned line, const AccessRecords& records);
    void reset(uint64_t owner);

    bool checked_ = false, shared_ = false;
    uint32_t expanded_ = 0;
    uint64_t owner_ = ~uint64_t{0}; // the cluster (or lone block) whose shared memory this is, or the launch
    std::array<Cell, lines_per_page> lines_;
    std::unique_ptr<std::array<Cell, page_bytes / granule_bytes>> cells_;
  };

  explicit Shadow(const observe::MemoryMap& memory) : memory_(memory) {}
  // As the blocks of this cluster see it. Null where there is nothing to check: memory of one thread only, or no memory
  // at all.
  [[nodiscard]] Page* page(uint64_t address, uint64_t cluster) {
    const uint64_t number = address / page_bytes;
    Cached& cached = cache_[number % cache_.size()];
    if (cached.number != number) fill(cached, number, address);
    Page* page = cached.page;
    if (page != nullptr && page->shared_ && page->owner_ != cluster) page->reset(cluster); // its last owner is gone
    return page;
  }
  // Forgets all. Gives memory back once there is much of it.
  void begin_launch();

private:
  struct Cached {
    uint64_t number = ~uint64_t{0};
    Page* page = nullptr;
  };
  void fill(Cached& cached, uint64_t number, uint64_t address);

  const observe::MemoryMap& memory_;
  uint64_t launch_ = 0;
  std::unordered_map<uint64_t, Page> pages_;
  std::array<Cached, 64> cache_{};
};

} // namespace tollgate::checks::race
