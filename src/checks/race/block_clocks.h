// The clocks of a resident block's threads, and what barriers and fences do to them. Lanes of a warp that know the
// same share one state; a lane's own accesses need no clock, program order covers them.
#pragma once

#include "checks/race/vector_clock.h"

#include <span>

namespace tollgate::checks::race {

// Taken by a release fence: what a later strong write of the same thread publishes (PTX, release patterns). `own` is
// the time up to which the thread's own accesses are covered.
struct FenceSnapshot {
  ClockRef clock;
  Time own = 0;
  bool taken = false;
  [[nodiscard]] bool operator==(const FenceSnapshot&) const = default;
};

// Releases that would count if their scope, or that of the acquire, included the other thread.
struct Narrow {
  ClockRef released, acquired; // by whose scope it is that fails
  [[nodiscard]] bool operator==(const Narrow&) const = default;
};

struct LaneState {
  ClockRef clock;
  // Observed by strong reads and not yet acquired by a fence, from releases of this block and of any.
  ClockRef pending_block, pending_grid;
  Narrow pending_narrow, narrow;         // the same: observed, and acquired
  observe::SiteId pending_site = 0;      // the last such read
  FenceSnapshot fence_block, fence_grid; // the last fence of any scope, the last of gpu scope or wider
  [[nodiscard]] bool operator==(const LaneState&) const = default;
};

// Scopes that reach every block.
[[nodiscard]] constexpr bool is_wide(observe::SyncScope scope) { return scope >= observe::SyncScope::Gpu; }

class BlockClocks {
public:
  // `by_the_letter`: fences and reads stay the affair of the thread that made them, as the PTX manual says.
  BlockClocks(uint64_t block, uint32_t warps, uint32_t threads, bool in_cluster = false, bool by_the_letter = false);

  [[nodiscard]] uint64_t block() const { return block_; }
  [[nodiscard]] const Time& now() const { return now_; }
  void tick() { ++now_; } // something was published: what comes later is not covered by it

  [[nodiscard]] const LaneState& state(uint32_t warp, uint32_t lane) const;
  // The one state of all lanes, or null if they differ.
  [[nodiscard]] const LaneState* common_state(uint32_t warp) const {
    const auto& parts = warps_[warp].parts;
    return parts.size() == 1 ? &parts.front().state : nullptr;
  }
  // The clock that a release by this lane publishes now, and the one that its last fence lets a strong write publish.
  [[nodiscard]] ClockRef release(uint32_t warp, uint32_t lane) const;
  [[nodiscard]] ClockRef release_all(uint32_t warp, LaneMask lanes) const;
  // What their last fences that reach other blocks let a relaxed arrival publish.
  [[nodiscard]] ClockRef published_all(uint32_t warp, LaneMask lanes) const;
  // Whether what these scopes publish reaches other blocks. In a launch with clusters, .cluster counts as if it reached
  // all: order between clusters that is not there may be assumed, a race missed, none invented.
  [[nodiscard]] bool reaches_others(observe::SyncScope scope) const {
    return is_wide(scope) || (in_cluster_ && scope == observe::SyncScope::Cluster);
  }
  [[nodiscard]] ClockRef published(const FenceSnapshot& fence, uint32_t warp, uint32_t lane) const;

  void acquire(uint32_t warp, LaneMask lanes, const ClockRef& clock);
  void observe(uint32_t warp, LaneMask lanes, const ClockRef& from_block, const ClockRef& from_grid,
               observe::SiteId site);
  void observe_narrowly(uint32_t warp, LaneMask lanes, const Narrow& seen, bool acquires, observe::SiteId site);
  void fence(uint32_t warp, LaneMask lanes, observe::Order order, observe::SyncScope scope);
  void proxy_fence(uint32_t warp, LaneMask lanes); // fence.proxy.async
  void warp_barrier(uint32_t warp, LaneMask lanes);
  void barrier_arrival(const observe::BarrierArrival& arrival);
  bool barrier_completion(uint32_t barrier); // true: all threads of the block waited
  void block_barrier();                      // all threads arrive and go on
  void begin(uint64_t block);                // anew, for another block of the launch

private:
  struct Lanes {
    LaneMask mask = 0;
    LaneState state;
  };
  struct Warp {
    std::vector<Lanes> parts; // disjoint, together all lanes
  };
  struct Participant {
    uint32_t warp = 0;
    LaneMask mask = 0;
    Time time = 0;
    bool waits = false;
  };
  struct Barrier {
    std::vector<Participant> participants;
    std::vector<LaneState> states; // distinct ones
  };

  template <typename Fn> void update(uint32_t warp, LaneMask lanes, Fn fn);
  void set(uint32_t warp, LaneMask lanes, const LaneState& state);
  void collect(uint32_t warp, LaneMask lanes, std::vector<LaneState>& states) const;
  [[nodiscard]] Narrow join(const Narrow& a, const Narrow& b) const;
  // Everything that the states know; fences and pending reads are handed on as well.
  [[nodiscard]] LaneState join(std::span<const LaneState> states) const;
  [[nodiscard]] FenceSnapshot hand_on(const FenceSnapshot& a, const FenceSnapshot& b) const;
  // Whether the warps hold common_, and nobody else does: a change of it is a change of theirs.
  [[nodiscard]] bool is_common_alone() const {
    return common_ != nullptr && static_cast<size_t>(common_.use_count()) == warps_.size() + 1;
  }

  uint64_t block_;
  uint32_t threads_;
  bool in_cluster_;
  bool by_the_letter_;
  Time now_ = 1;
  std::vector<Warp> warps_;
  std::shared_ptr<VectorClock> common_; // what all threads knew when the block began, or behind its last barrier
  Barrier barriers_[16];
};

} // namespace tollgate::checks::race
