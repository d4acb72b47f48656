// Livelock, decided without a clock: the same state again.
//
// All resident blocks run on one thread here (check mode), and what a turn does depends on nothing but the registers
// that live across turns, the scheduler's few counters and the values it reads. If a stretch of turns begins and ends
// with the same registers, and the next stretch of that length again, and both read the same values, then both write
// the same as well: memory is the same again, and it goes on like this for ever -- unless somebody outside changes
// what is read. Who asks has to know that nobody could since the first of the two began.
//
// A wait that looks at a clock has another state each time. While watched, the clock therefore stands; once everything
// repeats, it jumps ahead, by seconds and then by years, and everything has to repeat at each of these times. A wait
// that has a limit ends on the way.
#pragma once

#include "observe/observer.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace tollgate::exec {

// Mixes a value into a digest that began with the seed; the order counts.
constexpr uint64_t kDigestSeed = 0x243f6a8885a308d3ull;
[[nodiscard]] constexpr uint64_t mix(uint64_t digest, uint64_t value) {
  digest = (digest ^ value) * 0x9e3779b97f4a7c15ull;
  return digest ^ digest >> 29;
}
[[nodiscard]] uint64_t mix_bytes(uint64_t digest, const void* bytes, size_t size);

class LivelockWatch {
public:
  // Between a round in which every resident block had its turns and none came to its end, and the next block that
  // begins or ends. Watching costs: it stops after some turns in vain and comes back after ever longer pauses.
  [[nodiscard]] bool active() const { return active_; }
  void round();    // such a round has ended
  void progress(); // a block began or ended

  // While active, after each turn: digests of the block's registers and of the scheduler. True: it repeats.
  [[nodiscard]] bool turn(uint64_t block, uint64_t registers, uint64_t scheduler);

  // While active: what was seen so far does not count, two more stretches have to be alike.
  void begin_again() { set_reference(reference_); }

  // While active: what the threads read.
  void note_access(const observe::MemoryEvent& event);
  void note_poll(uint64_t block, uint32_t warp, observe::LaneMask lanes, observe::SiteId site, uint64_t mbarrier);
  void note_value(uint64_t value) { reads_ = mix(reads_, value); }
  void note_outside() { outside_ = true; } // read what changes by itself, or did what cannot be undone
  // What a thread sees that reads a clock which shows `now`, watched or not: never less than before.
  [[nodiscard]] uint64_t clock(uint64_t now);

  // Where the lanes of a warp read last.
  struct Polled {
    observe::SiteId site = 0;
    uint64_t address = 0;
    bool mbarrier = false; // it is the address of an mbarrier object
  };
  [[nodiscard]] Polled polled(uint64_t block, uint32_t warp, observe::LaneMask lanes) const;

private:
  struct Lanes {
    observe::LaneMask mask = 0;
    Polled at;
  };
  void note_polled(uint64_t block, uint32_t warp, observe::LaneMask lanes, const Polled& at);
  void set_reference(uint64_t state);
  bool jump(); // false: the clock has been as far ahead as it goes, or nobody looks at it

  uint64_t ahead_ = 0, stands_at_ = 0; // the clock: before the host's; 0: it goes
  unsigned jumps_ = 0;                 // since it stands
  bool active_ = false, outside_ = false;
  unsigned pause_ = 1, next_pause_ = 1;    // rounds
  uint64_t turns_ = 0;                     // since it became active
  std::map<uint64_t, uint64_t> registers_; // by block
  uint64_t all_registers_ = 0;             // their sum
  uint64_t reads_ = 0;                     // since the reference, or since the state came back
  // Brent's search: a state to compare with, replaced after 1, 2, 4, ... turns.
  uint64_t reference_ = 0, since_ = 0, limit_ = 1;
  uint64_t period_ = 0, period_reads_ = 0;                             // of the stretch before; 0: none yet
  std::map<std::pair<uint64_t, uint32_t>, std::vector<Lanes>> polled_; // newest last
};

} // namespace tollgate::exec
