// What earlier accesses mean to the one at hand. Found once for each record that an instruction meets, however many
// cells show it: an instruction touches up to 512 cells, which as a rule were last touched by a handful of others.
#pragma once

#include "checks/race/block_clocks.h"
#include "checks/race/shadow.h"

namespace tollgate::checks::race {

// Whether each scope includes the other thread, whatever clusters there are.
[[nodiscard]] inline bool scopes_surely_include(const Access& a, const Access& b) {
  return a.block == b.block || (is_wide(a.scope) && is_wide(b.scope));
}

// A read-modify-write observes the one before it. PTX ISA, causality order: what it observed precedes whatever comes
// after it, though neither releases nor acquires. Lanes of one instruction come in an order that nobody knows; updates
// of block scope are all kept, since each of them races with other blocks.
[[nodiscard]] inline bool observes(const Access& fresh, const Access& old, bool one_instruction) {
  return !one_instruction && fresh.kind == observe::AccessKind::Atomic && old.kind == observe::AccessKind::Atomic &&
         fresh.is_strong() && old.is_strong() && is_wide(fresh.scope) && is_wide(old.scope);
}

// Whatever races with `old` also races with `fresh`, if `old` happens before `fresh` and its bytes are among those of
// `fresh`: one slot will do.
[[nodiscard]] inline bool supersedes(const Access& fresh, const Access& old) {
  return (fresh.writes() || !old.writes()) && (!fresh.is_strong() || (old.is_strong() && fresh.scope <= old.scope));
}

// Two atomics that may come in any order.
[[nodiscard]] inline bool both_update(const Access& a, const Access& b) {
  return a.kind == observe::AccessKind::Atomic && b.kind == observe::AccessKind::Atomic && a.is_strong() &&
         b.is_strong() && scopes_surely_include(a, b);
}

// When something holds of two sets of bytes: bits, any of which will do.
using When = uint8_t;
constexpr When never = 0, always = 1, if_within = 2, if_equal = 4, if_overlapping = 8;

class Bearings {
public:
  // Of an earlier access to a granule, for a fresh one to the whole of it.
  enum class Fate : uint8_t { Over, Kept, Unclear };

  struct alignas(16) Entry {
    uint64_t whose; // Slot::instruction
    // By whether one thread did both (OwnWarp only, otherwise the same twice):
    std::array<When, 2> over;  // the fresh access takes its place; `within`: the earlier bytes
    std::array<When, 2> clash; // a conflict, or a matter of single lanes: who asks must look closer
    bool own_update;           // atomics of one instruction (or one round after the other of it): two are kept
    uint8_t bytes;             // a lane
    // By whether one thread did both, plus two if the earlier access is to the whole granule as well.
    std::array<Fate, 4> fate;
  };

  // Of an access by a warp whose lanes all know the same.
  Bearings(const AccessRecords& records, const Access& fresh, AccessId id, const LaneState& state)
      : records_(records), fresh_(fresh), whose_(Slot(id, fresh, 0, 0).instruction()), state_(state) {}

  [[nodiscard]] const Entry& of(const Slot& earlier) {
    const uint64_t whose = earlier.instruction();
    const size_t at = (earlier.access() + earlier.warp() * 8) % known_.size(); // a warp has a handful between barriers
    Entry& entry = known_[at];
    if ((filled_ >> at & 1) == 0 || entry.whose != whose) [[unlikely]] {
      filled_ |= uint64_t{1} << at;
      look_at(entry, earlier);
    }
    return entry;
  }

private:
  void look_at(Entry& entry, const Slot& earlier) const;
  void judge(Entry& entry, const Access& earlier) const;

  const AccessRecords& records_;
  const Access& fresh_;
  const uint64_t whose_;
  const LaneState& state_;
  uint64_t filled_ = 0; // of those below
  std::array<Entry, 64> known_;
};

} // namespace tollgate::checks::race
