// Asynchronous copies that may still be under way (PTX ISA 8.9.1.1, Asynchronous Operations): each is ordered after
// what its thread did before, and not before anything that follows. The simulator copies at once; whoever touches the
// data must have learnt that the copy is complete, by waiting for it or from a thread that waited.
#pragma once

#include "checks/race/shadow.h"

#include <map>
#include <unordered_map>
#include <vector>

namespace tollgate::checks::race {

class BlockClocks;
struct LaneState;

struct AsyncCopy {
  Access access; // of the thread that issued it
  uint32_t lane = 0;
  bool bulk = false;
  uint64_t to = 0, from = 0;
  uint32_t bytes = 0, bytes_read = 0;
  // Who knows one of these knows that the copy has written, or that it has read. Time 0: not yet.
  Epoch waited_for, signalled; // by its own thread; through an mbarrier
  Epoch read_waited_for;       // cp.async.bulk.wait_group.read
};

enum class AsyncFault : uint8_t { None, NotComplete, WaitedElsewhere, SourceChanged, Exited };

// Of one block.
class AsyncCopies {
public:
  struct Clash {
    const AsyncCopy* copy = nullptr;
    AsyncFault fault = AsyncFault::None;
  };
  using Copies = std::vector<uint32_t>; // numbers

  [[nodiscard]] bool empty() const { return copies_.empty(); }
  [[nodiscard]] bool untouched() const { return next_ == 1 && signals_ == 0 && issuers_.empty(); }
  void issue(const AsyncCopy& copy);
  // The groups of each thread complete in order (cp.async.wait_group).
  void commit(uint32_t warp, LaneMask lanes, bool bulk);
  void wait(BlockClocks& clocks, uint32_t warp, LaneMask lanes, uint32_t groups, bool bulk, bool read_only);
  // cp.async.mbarrier.arrive: what a completed phase of the object then tells.
  [[nodiscard]] ClockRef arrive(BlockClocks& clocks, uint32_t warp, LaneMask lanes);
  // The bytes of a bulk copy.
  [[nodiscard]] ClockRef complete(BlockClocks& clocks, AsyncCopy& copy);
  // An ordinary access of a lane, or one by another copy, that meets a copy which it does not know to be complete. What
  // is not even ordered behind the issue is an ordinary race, and not told here.
  [[nodiscard]] Clash find(const LaneState& state, uint32_t warp, uint32_t lane, uint64_t address, uint32_t bytes,
                           bool writes) const;
  // A bulk copy out of shared memory that its thread has not waited for; null if there is none.
  [[nodiscard]] const AsyncCopy* unread() const;
  // All threads of the block may have learnt something: forgets what everybody knows.
  void prune(const BlockClocks& clocks, uint32_t warps);

private:
  struct Issuer {
    std::vector<uint32_t> open, pending; // copies since the last commit; in groups
    std::vector<size_t> ends;            // of the groups, as indices into `pending`
  };
  static constexpr unsigned granule = 16;
  [[nodiscard]] Issuer& issuer(uint32_t warp, uint32_t lane, bool bulk);
  [[nodiscard]] AsyncFault fault(const AsyncCopy& copy, const LaneState& state, uint32_t warp, uint32_t lane,
                                 uint64_t address, uint32_t bytes, bool writes) const;
  void index(uint32_t number);

  uint32_t next_ = 1;
  Time signals_ = 0;
  std::map<uint32_t, AsyncCopy> copies_;
  std::unordered_map<uint64_t, Copies> at_; // by granule; bulk copies are under granule 0
  std::unordered_map<uint64_t, Issuer> issuers_;
};

// Stands for the copies of a block, which act like one more thread: no program's block has such a number.
[[nodiscard]] constexpr uint64_t copier_of(uint64_t block) { return block | uint64_t{1} << 48; }
// What a thread knows to have been made visible to the asynchronous proxy (fence.proxy.async).
[[nodiscard]] constexpr uint64_t proxy_of(uint64_t block) { return block | uint64_t{1} << 49; }

} // namespace tollgate::checks::race
