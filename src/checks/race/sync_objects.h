// Synchronisation objects: places in memory through which a release pattern in one thread meets an acquire pattern in
// another (PTX ISA, Memory Consistency Model, "Release and Acquire Patterns"). Keyed by address. A read in this
// simulation sees the last write, so "reads from" needs no values; read-modify-writes extend what they read.
#pragma once

#include "checks/race/block_clocks.h"

#include <array>
#include <unordered_map>

namespace tollgate::checks::race {

// What one strong write publishes: to its own block, and (if fence and write have the scope) to all.
struct Published {
  ClockRef block, grid;
  [[nodiscard]] bool empty() const { return block == nullptr && grid == nullptr; }
};

// What a strong read observes; `narrow` was published to other blocks only.
struct Observed {
  ClockRef block, grid, narrow;
  [[nodiscard]] bool empty() const { return block == nullptr && grid == nullptr && narrow == nullptr; }
};

class SyncObjects {
public:
  [[nodiscard]] bool empty() const { return objects_.empty(); }
  void clear() {
    objects_.clear();
    lines_ = {};
  }
  // False: none lies in this line of 128 bytes. Quick: almost all memory holds none.
  [[nodiscard]] bool may_be_near(uint64_t address) const {
    const size_t line = line_of(address);
    return (lines_[line / 64] >> (line % 64) & 1) != 0;
  }

  // What a strong read at this address observes.
  [[nodiscard]] Observed observed(uint64_t address, uint64_t block) const;
  // A strong write that is no read-modify-write: begins anew. A release on the address by the same thread before it
  // stays in force ("a release on M followed by a strong write on M").
  void write(uint64_t address, const Epoch& by, const Published& what);
  // A read-modify-write adds to what it read.
  void update(uint64_t address, const Epoch& by, const Published& what);
  // A weak write: nobody can acquire through it.
  void forget(uint64_t address) {
    if (may_be_near(address)) objects_.erase(address);
  }

private:
  struct Object {
    std::unordered_map<uint64_t, ClockRef> by_block;
    ClockRef grid;
    ClockRef narrow; // all that was published to one block and not to all
    Epoch releaser;  // of the last release, and what it was
    Published last;
  };
  void note_line(uint64_t address) {
    const size_t line = line_of(address);
    lines_[line / 64] |= uint64_t{1} << (line % 64);
  }
  // Look-back has some thousand lines of objects, which are no more than a few in a hundred of these.
  [[nodiscard]] static size_t line_of(uint64_t address) { return address / 128 % (line_words * 64); }
  static constexpr size_t line_words = 1024;

  std::unordered_map<uint64_t, Object> objects_;
  std::array<uint64_t, line_words> lines_{}; // by line, modulo its bits
};

} // namespace tollgate::checks::race
