// barrier-divergent and barrier-early-exit: a block barrier was satisfied although threads of the block never met it,
// because they had left the kernel. How they left decides (docs/rules.md, "How an early exit is told from a skipped
// barrier"): past the closing brace without meeting the barrier is an error, by an earlier `return` a warning.
#pragma once

#include "checks/support.h"

#include <unordered_map>

namespace tollgate::checks {

class BarrierDivergence final : public observe::Observer {
public:
  BarrierDivergence(observe::FindingSink& sink, const observe::MemoryMap& memory)
      : Observer(sink, memory), findings_(sink) {}

  [[nodiscard]] observe::EventSet events() const override { return observe::BarrierEvents; }
  void on_launch(const observe::LaunchInfo& info) override;
  void on_launch_end() override;
  void on_block_end(const observe::BlockRef& block) override;
  void on_barrier_arrival(const observe::BarrierArrival& arrival) override;
  void on_block_barrier(const observe::BlockBarrier& barrier) override;
  void on_exit(const observe::ExitEvent& event) override;
  void on_barrier_completion(const observe::BarrierCompletion& completion) override;

private:
  // Threads that left the kernel at one instruction, in one way.
  struct Departure {
    observe::SiteId site = 0;
    bool fell_off = false;
    ThreadGroup threads;
  };
  struct BlockState {
    std::vector<Departure> departures;
    std::map<observe::SiteId, ThreadGroup> met; // who ever arrived at a barrier call
    std::vector<observe::SiteId> met_by_all;    // calls to which all threads came
    void clear() { departures.clear(), met.clear(), met_by_all.clear(); }
  };
  using Blocks = std::unordered_map<uint64_t, BlockState>;

  BlockState& of(uint64_t block);

  void leave(BlockState& state, const observe::ExitEvent& event, observe::LaneMask mask, bool fell_off);
  void report(const observe::BarrierCompletion& completion, const BlockState& state, bool fell_off);

  Launch launch_;
  RepeatingFindings findings_;
  Blocks blocks_;
  std::vector<Blocks::node_type> spare_; // of blocks that are gone: their memory
  uint64_t current_block_ = 0;
  BlockState* current_ = nullptr;
};

} // namespace tollgate::checks
