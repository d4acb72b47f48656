// Shadow memory: who touched each granule of four bytes last. Slots refer to access records, one for each
// instruction of a block and time; both are bounded. Forgetting an access may miss a race and never invents one.
#pragma once

#include "base/each_lane.h"
#include "checks/race/vector_clock.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tollgate::checks::race {

// One instruction at one time of its block. Warps and lanes are told apart by the slots.
struct AccessRecord {
  uint64_t block = 0;
  Time time = 0;
  observe::SiteId site = 0;
  observe::AccessKind kind = observe::AccessKind::Load;
  observe::Order order = observe::Order::Weak;
  observe::SyncScope scope = observe::SyncScope::None;
  uint8_t bytes = 0;
  bool many_lanes = false; // strong: several lanes, at different addresses

  [[nodiscard]] bool is_strong() const { return order != observe::Order::Weak; }
  [[nodiscard]] bool writes() const { return kind != observe::AccessKind::Load; }
  [[nodiscard]] bool operator==(const AccessRecord&) const = default;
};

// The same by one warp.
struct Access : AccessRecord {
  uint32_t warp = 0;
};

using AccessId = uint32_t; // 0: none

class AccessRecords {
public:
  AccessId add(const AccessRecord& record) {
    if (next_ - first_ >= ring_.size()) grow();
    ring_[(next_ - first_) % capacity] = record;
    return next_++;
  }
  // Null if the record has been overwritten, or belongs to an earlier launch.
  [[nodiscard]] const AccessRecord* find(AccessId id) const {
    return id < first_ || next_ - id > capacity ? nullptr : &ring_[(id - first_) % capacity];
  }
  // A kernel boundary orders everything before it. True if the numbers began anew: the shadow must be cleared.
  [[nodiscard]] bool begin_launch();
  [[nodiscard]] bool exhausted() const { return next_ >= UINT32_MAX - 1; }
  [[nodiscard]] AccessId next() const { return next_; }   // those before are smaller
  [[nodiscard]] AccessId first() const { return first_; } // of this launch

private:
  void grow();

  static constexpr uint32_t capacity = 1u << 22;
  std::vector<AccessRecord> ring_;
  AccessId first_ = 1, next_ = 1; // of this launch, whose records begin the ring
};

constexpr unsigned granule_bytes = 4, slots_per_cell = 4, line_bytes = 128,
                   granules_per_line = line_bytes / granule_bytes;
constexpr uint32_t whole_granule = 0xf; // its bytes

// In the cell of a granule: a thread of the access, and the bytes of the granule that it touched, a bit each. In the
// cell of a line: lanes side by side, from the granule `first` on; `lane` is the one that touched the first byte there.
// One word, so that it stays in a register.
class Slot {
public:
  constexpr Slot() = default;
  constexpr Slot(AccessId access, const Access& of, uint32_t lane, uint32_t bytes, uint32_t first = 0,
                 uint32_t granules = 0)
      : word_(access | uint64_t{lane} << lane_at | uint64_t{of.warp % 32} << warp_at |
              uint64_t{of.kind == observe::AccessKind::Load} << load_at |
              uint64_t{of.kind == observe::AccessKind::Atomic && of.scope == observe::SyncScope::Gpu && of.is_strong()}
                  << update_at |
              uint64_t{bytes} << bytes_at | uint64_t{first} << first_at | uint64_t{granules} << granules_at) {}

  [[nodiscard]] AccessId access() const { return static_cast<AccessId>(word_); } // 0: empty
  [[nodiscard]] uint32_t lane() const { return word_ >> lane_at & 31; }
  [[nodiscard]] uint32_t warp() const { return word_ >> warp_at & 31; } // a block has 32 at most
  [[nodiscard]] bool is_load() const { return (word_ >> load_at & 1) != 0; }
  [[nodiscard]] bool is_update() const { return (word_ >> update_at & 1) != 0; } // a strong atomic of gpu scope
  [[nodiscard]] uint32_t bytes() const { return word_ >> bytes_at & 15; }
  [[nodiscard]] uint32_t first() const { return word_ >> first_at & 31; }
  [[nodiscard]] uint32_t granules() const { return word_ >> granules_at & 63; }

  [[nodiscard]] bool empty() const { return word_ == 0; }
  [[nodiscard]] bool operator==(const Slot&) const = default;
  // The record and the warp: an instruction of one warp, or rounds of it at one time.
  [[nodiscard]] uint64_t instruction() const { return word_ & (uint64_t{31} << warp_at | 0xffffffff); }
  [[nodiscard]] bool same_thread(const Slot& other) const { // of one block
    return ((word_ ^ other.word_) >> lane_at & 1023) == 0;
  }
  [[nodiscard]] Slot of_lane(uint32_t lane) const {
    Slot out = *this;
    out.word_ = (out.word_ & ~(uint64_t{31} << lane_at)) | uint64_t{lane} << lane_at;
    return out;
  }
  [[nodiscard]] bool covers(const Slot& other) const {
    return first() <= other.first() && other.first() + other.granules() <= first() + granules();
  }
  [[nodiscard]] bool meets(const Slot& other) const {
    return first() < other.first() + other.granules() && other.first() < first() + granules();
  }

  [[nodiscard]] uint64_t word() const { return word_; }
  [[nodiscard]] static Slot of_word(uint64_t word) {
    Slot out;
    out.word_ = word;
    return out;
  }
  static constexpr unsigned lane_at = observe::LineWord::lane_at, warp_at = observe::LineWord::warp_at,
                            load_at = observe::LineWord::load_at, bytes_at = observe::LineWord::bytes_at,
                            first_at = observe::LineWord::first_at, granules_at = observe::LineWord::granules_at,
                            update_at = 63;
  static constexpr uint64_t place = observe::LineWord::place;

private:
  uint64_t word_ = 0;
};

// Whose access a slot tells of; none if the record has been overwritten.
[[nodiscard]] inline std::optional<Access> access_of(const Slot& slot, const AccessRecords& records) {
  const AccessRecord* record = slot.empty() ? nullptr : records.find(slot.access());
  return record == nullptr ? std::nullopt : std::optional(Access{*record, slot.warp()});
}

// The last accesses to a granule, or to a whole line; the empty slots come last.
struct alignas(32) Cell {
  std::array<Slot, slots_per_cell> slots;
};

// The last updates of `granules`: of those that one instruction made of a granule, its lowest and its highest lane. An
// update observes the one before, and takes its place, whatever that was: nothing is looked at, all is written.
template <size_t granules> class LastUpdates {
public:
  // The granules of these lanes, by lane.
  void note(const uint32_t (&granule)[observe::warp_size], LaneMask lanes, const Slot& update) {
    each_lane(lanes, [&](uint32_t lane) { highest_[granule[lane]] = update.of_lane(lane); });
    for (LaneMask rest = lanes; rest != 0;) {
      const auto lane = 31 - static_cast<uint32_t>(std::countl_zero(rest));
      rest &= ~(LaneMask{1} << lane);
      lowest_[granule[lane]] = static_cast<uint8_t>(lane);
    }
  }
  void note_all(const uint32_t (&granule)[observe::warp_size], const Slot& update) {
#pragma GCC unroll 32
    for (uint32_t lane = 0; lane < observe::warp_size; ++lane) highest_[granule[lane]] = update.of_lane(lane);
#pragma GCC unroll 32
    for (uint32_t i = 0; i < observe::warp_size; ++i) {
      const uint32_t lane = observe::warp_size - 1 - i;
      lowest_[granule[lane]] = static_cast<uint8_t>(lane);
    }
  }
  void clear(size_t first, size_t count) {
    std::fill_n(highest_.begin() + static_cast<ptrdiff_t>(first), count, Slot());
  }
  [[nodiscard]] const Slot& highest(size_t granule) const { return highest_[granule]; } // empty: there was none
  [[nodiscard]] Slot lowest(size_t granule) const { return highest_[granule].of_lane(lowest_[granule]); }

private:
  std::array<Slot, granules> highest_;
  std::array<uint8_t, granules> lowest_;
};

// A word for each line of memory that blocks share, in one reservation: who touched the line last, as long as every
// access was to the whole of it by 32 lanes of 4 bytes, each by the same warp of one block as the one before.
// Generated code reads and writes it (observe/shortcuts.h). Where there is no room for so many addresses, no line has a
// word.
class LineWords {
public:
  LineWords(uint64_t begin, uint64_t end);
  ~LineWords();
  LineWords(const LineWords&) = delete;
  LineWords& operator=(const LineWords&) = delete;

  [[nodiscard]] explicit operator bool() const { return base_ != 0; }
  [[nodiscard]] uint64_t base() const { return base_; } // Shortcuts::lines
  // An access that is not sound may go anywhere.
  [[nodiscard]] bool has(uint64_t address) const { return address - begin_ < bytes_ / sizeof(Slot) * line_bytes; }
  [[nodiscard]] Slot& of(uint64_t address) const {
    return *reinterpret_cast<Slot*>(base_ + address / line_bytes * sizeof(Slot));
  }
  void clear();

private:
  void* at_ = nullptr;
  size_t bytes_ = 0;
  uint64_t begin_ = 0, base_ = 0;
};

// While all accesses to a line come from lanes side by side, one cell stands for it. At the first other access, or when
// there are more stretches than slots, the line expands. A line that updates alone have met keeps the last of each
// granule, until anything else comes. A line of shared memory that reads alone have met since a barrier keeps them as
// they came: they are told apart once somebody writes.
class Shadow {
public:
  static constexpr uint64_t page_bytes = 4096;
  static constexpr unsigned lines_per_page = page_bytes / line_bytes;
  using Granules = std::array<Cell, granules_per_line>;

  class Page {
  public:
    [[nodiscard]] bool is_shared() const { return shared_; }
    // The cell of a whole line, or null if it has expanded.
    [[nodiscard]] Cell* line(uint64_t address) {
      const unsigned line = taken(line_of(address));
      return expanded_[line] != nullptr || ((updates_only_ | reads_only_) >> line & 1) != 0 ? nullptr : &lines_[line];
    }
    // Whether no record from `past` on is in a line: looked at only where one starts anew.
    [[nodiscard]] bool is_past(uint64_t address, AccessId past);
    // The same for a store to all of it behind a barrier, where nothing else counts any more.
    [[nodiscard]] Cell& fresh_line(uint64_t address) {
      const unsigned line = line_of(address);
      expanded_[line] = nullptr;
      updates_only_ &= ~(1u << line);
      reads_only_ &= ~(1u << line);
      return lines_[line] = {};
    }
    // Reads alone, since the record `past` at the earliest.
    [[nodiscard]] bool holds_reads(uint64_t address) const { return (reads_only_ >> line_of(address) & 1) != 0; }
    // One more; false if there is no room for it.
    [[nodiscard]] bool note_read(uint64_t address, const Slot& read, AccessId past) {
      const unsigned line = line_of(address);
      Reads& reads = reads_[line];
      if (reads.newest < past) reads = {};
      if (reads.count == most_reads && !forget_reads(line)) return false;
      reads.newest = std::max(reads.newest, read.access());
      read_at(line, reads.count++) = read;
      return true;
    }
    // From here on the line, of which nothing but these reads counts, holds reads.
    void hold_reads(uint64_t address, const Cell& reads, AccessId past, Shadow& shadow);
    // The cells of a line, or null if it has not expanded.
    [[nodiscard]] Granules* granules(uint64_t address) const { return expanded_[line_of(address)]; }
    [[nodiscard]] Cell& cell(uint64_t address, Shadow& shadow, const AccessRecords& records) {
      const unsigned line = taken(line_of(address));
      if (expanded_[line] == nullptr) [[unlikely]]
        expand(line, shadow, records);
      return (*expanded_[line])[address % line_bytes / granule_bytes];
    }
    // Makes these lines (a bit each) hold updates alone, as far as records from `past` on are in none of them. Those
    // that do now.
    [[nodiscard]] uint32_t hold_updates(uint32_t lines, AccessId past);
    using Updates = LastUpdates<page_bytes / granule_bytes>;
    [[nodiscard]] Updates& updates() { return *updates_; }
    [[nodiscard]] static unsigned line_of(uint64_t address) { return address % page_bytes / line_bytes; }

  private:
    friend class Shadow;
    static constexpr uint32_t most_reads = granules_per_line * slots_per_cell;
    struct Reads { // that a line holds, in the place of its granules
      AccessId newest = 0;
      uint32_t count = 0;
    };
    [[nodiscard]] Slot& read_at(unsigned line, uint32_t i) {
      return (*cells_[line])[i / slots_per_cell].slots[i % slots_per_cell];
    }
    // The line, which from here on is kept in the page and has no word of its own any more.
    [[nodiscard]] unsigned taken(unsigned line) {
      if ((taken_ >> line & 1) == 0) [[unlikely]]
        take(line);
      return line;
    }
    void take(unsigned line);
    [[nodiscard]] bool forget_reads(unsigned line);
    [[nodiscard]] Granules& granules_of(unsigned line, Shadow& shadow); // made where there are none yet
    void expand(unsigned line, Shadow& shadow, const AccessRecords& records);
    void expand_updates(unsigned line);
    void expand_reads(unsigned line, const AccessRecords& records);
    void reset(uint64_t owner, Slot* words, AccessId first);

    Slot* words_ = nullptr; // of its lines; null: all lines are kept here
    AccessId first_ = 0;    // record of the launch
    uint32_t taken_ = 0;    // lines, a bit each
    bool checked_ = false, shared_ = false;
    uint64_t owner_ = ~uint64_t{0}; // the cluster (or lone block) whose shared memory this is, or the launch
    uint32_t updates_only_ = 0, reads_only_ = 0; // lines, a bit each
    std::array<Granules*, lines_per_page> expanded_{};
    std::array<Cell, lines_per_page> lines_;
    std::array<Reads, lines_per_page> reads_{};
    std::array<std::unique_ptr<Granules>, lines_per_page> cells_; // kept when the page is reset
    std::unique_ptr<Updates> updates_;
  };

  // `has_left`: whether this block was alone in its shared memory, and is gone.
  Shadow(const observe::MemoryMap& memory, std::function<bool(uint64_t)> has_left)
      : has_left_(std::move(has_left)), memory_(memory), words_(memory.window().first, memory.window().second) {}
  [[nodiscard]] const LineWords& words() const { return words_; }
  // As the blocks of this cluster see it. Null where there is nothing to check: memory of one thread only, or no memory
  // at all.
  [[nodiscard]] Page* page(uint64_t address, uint64_t cluster) {
    const uint64_t number = address / page_bytes;
    Cached& cached = cache_[(number * 0x9e3779b97f4a7c15ull) >> 57]; // arrays that are walked together lie far apart
    if (cached.number != number) [[unlikely]]
      fill(cached, number, address);
    Page* page = cached.page;
    if (page != nullptr && page->shared_ && page->owner_ != cluster) pass_on(*page, cluster);
    return page;
  }
  // Forgets all. `first`: the launch's first record; `anew`: the words know numbers that are given again. Gives memory
  // back once there is much of it.
  void begin_launch(AccessId first, bool anew);
  [[nodiscard]] size_t bytes() const { return pages_.size() * sizeof(Page) + expanded_lines_ * sizeof(Granules); }

private:
  struct Cached {
    uint64_t number = ~uint64_t{0};
    Page* page = nullptr;
  };
  void fill(Cached& cached, uint64_t number, uint64_t address);
  // The last owner of shared memory is gone, as a rule; its records are all older than those of the next.
  void pass_on(Page& page, uint64_t owner) const {
    if (page.owner_ != ~uint64_t{0} && has_left_(page.owner_))
      page.owner_ = owner;
    else
      page.reset(owner, nullptr, 0);
  }

  std::function<bool(uint64_t)> has_left_;
  const observe::MemoryMap& memory_;
  LineWords words_;
  uint64_t launch_ = 0;
  AccessId first_ = 1;        // record of the launch
  size_t expanded_lines_ = 0; // that were ever
  std::unordered_map<uint64_t, Page> pages_;
  std::vector<Page*> shared_pages_;
  std::array<Cached, 128> cache_{};
};

} // namespace tollgate::checks::race
