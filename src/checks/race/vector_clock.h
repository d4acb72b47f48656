// Vector clocks: what a thread knows to have happened before. A launch may have millions of threads, so a clock is
// coarse where it can be and precise where it must: one time for a whole block after a full barrier, single lanes
// after a release by one of them. Clocks are immutable and shared; only joins make new ones.
#pragma once

#include "observe/observer.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace tollgate::checks::race {

using observe::LaneMask;

// Counts the synchronisation events of one block: whatever publishes accesses ends a time.
using Time = uint32_t;

// One access by one thread, as far as order is concerned.
struct Epoch {
  uint64_t block = 0;
  uint32_t warp = 0, lane = 0;
  Time time = 0;
};

enum class Cover : uint8_t { None, Some, All };

// What is known of one block: everything up to `all`, and of single lanes more.
class BlockView {
public:
  explicit BlockView(Time all = 0) : all_(all) {}
  [[nodiscard]] bool covers(uint32_t warp, uint32_t lane, Time time) const;
  // Of the lanes of a warp: those whose accesses at `time` are known.
  [[nodiscard]] Cover cover(uint32_t warp, Time time) const;
  [[nodiscard]] bool includes(const BlockView& other) const;
  void join(const BlockView& other);
  void learn(uint32_t warp, LaneMask lanes, Time time);

private:
  struct Warp {
    uint32_t warp = 0;
    std::array<Time, observe::warp_size> lanes{};
  };
  Warp& of(uint32_t warp);

  Time all_;
  std::vector<Warp> warps_; // ascending
};

// Persistent map block -> BlockView, a radix tree: joining two maps costs what they differ by.
class BlockTree {
public:
  [[nodiscard]] const BlockView* find(uint64_t block) const;
  [[nodiscard]] BlockTree with(uint64_t block, const BlockView& view) const; // joined with what is there
  [[nodiscard]] BlockTree join(const BlockTree& other) const;
  [[nodiscard]] bool operator==(const BlockTree& other) const = default; // the same map object

private:
  struct Node;
  using NodeRef = std::shared_ptr<const Node>;
  static NodeRef join(const NodeRef& a, const NodeRef& b, unsigned height);
  static NodeRef lift(NodeRef node, unsigned from, unsigned to);

  NodeRef root_;
  unsigned height_ = 0; // levels above the leaves
};

class VectorClock;
using ClockRef = std::shared_ptr<const VectorClock>; // null: nothing is known

class VectorClock {
public:
  VectorClock(uint64_t home, BlockView view, BlockTree others = {})
      : home_(home), view_(std::move(view)), others_(std::move(others)) {}

  [[nodiscard]] bool covers(const Epoch& epoch) const;
  // The same for all lanes of a warp; epoch.lane is not looked at. Some: it may be none as well.
  [[nodiscard]] Cover cover(const Epoch& epoch) const;
  [[nodiscard]] const BlockTree& others() const { return others_; }
  [[nodiscard]] const BlockView& at_home() const { return view_; }
  // `clock` as a thread of block `home` sees it after learning what `other` knows; `clock` itself if that is nothing
  // new.
  static ClockRef join(const ClockRef& clock, const ClockRef& other, uint64_t home);
  static ClockRef learn(const ClockRef& clock, uint64_t home, uint32_t warp, LaneMask lanes, Time time);
  // While nobody holds it to whom it should stay what it is.
  void set_view(uint64_t home, BlockView view) {
    home_ = home;
    view_ = std::move(view);
  }
  // Of its own block, before anybody else holds it.
  void learn(uint32_t warp, LaneMask lanes, Time time) { view_.learn(warp, lanes, time); }

private:
  uint64_t home_; // the block whose view is at hand
  BlockView view_;
  BlockTree others_;
};

inline bool covers(const ClockRef& clock, const Epoch& epoch) { return clock != nullptr && clock->covers(epoch); }

} // namespace tollgate::checks::race
