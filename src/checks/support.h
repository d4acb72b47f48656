// What every checker needs: names for threads and places of the current launch, and findings that repeat.
#pragma once

#include "observe/observer.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace tollgate::checks {

// Lanes of several warps of one block.
class ThreadGroup {
public:
  void add(uint32_t warp, observe::LaneMask mask);
  void remove(uint32_t warp, observe::LaneMask mask);
  [[nodiscard]] observe::LaneMask in_warp(uint32_t warp) const;
  [[nodiscard]] bool empty() const;
  [[nodiscard]] uint32_t size() const;
  [[nodiscard]] std::vector<uint32_t> linear() const; // indices within the block, ascending

private:
  using Entry = std::pair<uint32_t, observe::LaneMask>; // a warp
  std::vector<Entry> warps_;                            // ascending
};

// The launch that is being watched. Copied, because the engine's LaunchInfo need not outlive the callback.
class Launch {
public:
  void begin(const observe::LaunchInfo& info) { info_ = info; }
  [[nodiscard]] const observe::LaunchInfo& info() const { return info_; }

  [[nodiscard]] observe::Place place(observe::SiteId site) const;
  [[nodiscard]] std::string threads(const ThreadGroup& group) const; // "threads 0-31 and 40"
  // The same and what they do, in the right number: "thread 7 waits", "threads 0-31 wait".
  [[nodiscard]] std::string doing(const ThreadGroup& group, const char* verb) const;
  // The user's own line of a site, as "a.cu:12:5"; "PTX line 40" without line information.
  [[nodiscard]] std::string where(observe::SiteId site) const;
  [[nodiscard]] static std::string block(const observe::BlockRef& block); // "block (0,0,0)"
  // A side with place, example thread and thread set filled in; the caller adds the role.
  [[nodiscard]] observe::Side side(observe::SiteId site, const observe::BlockRef& block,
                                   const ThreadGroup& group) const;
  // A finding with rule, severity and kernel filled in.
  [[nodiscard]] observe::Finding finding(std::string rule, observe::Severity severity) const;
  // "shared tile+12", "4,096-byte allocation+8", "counter+0": an address inside `object`.
  [[nodiscard]] std::string object(const observe::AllocationInfo& object, uint64_t address) const;
  // The variable there, if `object` is a block's shared memory.
  [[nodiscard]] const observe::SharedName* shared_variable(const observe::AllocationInfo& object,
                                                           uint64_t address) const;
  // Number of the cluster that this block belongs to, among those of the grid; the block's own without clusters.
  [[nodiscard]] uint64_t cluster_of(uint64_t block) const;
  [[nodiscard]] uint32_t blocks_per_cluster() const { return info_.cluster[0] * info_.cluster[1] * info_.cluster[2]; }
  // The lanes of `warp` that exist: the last warp of a block may be partial.
  [[nodiscard]] observe::LaneMask lanes_of(uint32_t warp) const;

private:
  observe::LaunchInfo info_;
};

[[nodiscard]] std::string digits(uint64_t value); // 12,345

// Equal for two sites that are copies of the same source call (inlined, unrolled): "same call" in the sense of the
// programming guide is a matter of the source.
[[nodiscard]] std::string call_key(const observe::Place& place, observe::SiteId site);

// Findings of one launch that may fire millions of times: the first is reported at once, the rest is counted and
// handed over by flush(). The sink adds counts up.
class RepeatingFindings {
public:
  using Key = std::tuple<int, uint64_t, uint64_t>; // kind of finding, site, site or object
  explicit RepeatingFindings(observe::FindingSink& sink) : sink_(sink) {}
  void add(const Key& key, const std::function<observe::Finding()>& make);

  // The same, and the threads are gathered: each lane of `mask` counts. flush() then says the finding once more, with
  // all threads of the block that showed it first and the number of blocks.
  struct Lanes {
    observe::BlockRef block;
    uint32_t warp = 0;
    observe::LaneMask mask = 0;
  };
  struct Spread {
    observe::BlockRef block;   // the first
    ThreadGroup threads;       // of that block
    std::set<uint64_t> others; // blocks beside it, up to most_blocks of them
    static constexpr size_t most_blocks = 10000;
  };
  using Revise = std::function<void(observe::Finding& finding, const Spread& spread)>;
  void add(const Key& key, const Lanes& lanes, const std::function<observe::Finding()>& make);

  // A finding that has been added came again and says more now: flush() says it once more.
  void replace(const Key& key, observe::Finding finding);

  void flush(const Revise& revise = {});
  // How often a finding that has been added came again, to be counted by the caller; null if it was not. Valid until
  // flush().
  [[nodiscard]] uint64_t* again(const Key& key);

private:
  // Beyond so many entries the last part of a key no longer counts: memory is bounded by the sites of the code.
  static constexpr size_t most_entries = 4096;
  struct Entry {
    observe::Finding finding;
    uint64_t unreported = 0;
    bool replaced = false;
    Spread spread;
  };
  [[nodiscard]] Key bounded(const Key& key) const;

  observe::FindingSink& sink_;
  std::map<Key, Entry> entries_;
};

// "threads 0-31 and 40 of block (0,0,0) and threads of 99 more blocks"
[[nodiscard]] std::string spread_text(const Launch& launch, const RepeatingFindings::Spread& spread);

} // namespace tollgate::checks
