// barrier-count: the thread count of a named barrier (PTX ISA, bar: a multiple of the warp size, and no more than the
// block has), and arrivals that nobody ever waited for.
#pragma once

#include "checks/support.h"

namespace tollgate::checks {

class BarrierCount final : public observe::Observer {
public:
  BarrierCount(observe::FindingSink& sink, const observe::MemoryMap& memory)
      : Observer(sink, memory), findings_(sink) {}

  [[nodiscard]] observe::EventSet events() const override { return observe::BarrierEvents; }
  void on_launch(const observe::LaunchInfo& info) override;
  void on_launch_end() override;
  void on_barrier_arrival(const observe::BarrierArrival& arrival) override;
  void on_barrier_completion(const observe::BarrierCompletion& completion) override;
  void on_block_end(const observe::BlockRef& block) override;

private:
  enum Kind { Count, Dangling, Twice, Number };
  void report(const observe::BarrierArrival& arrival, Kind kind, std::string message, std::string help);

  Launch launch_;
  RepeatingFindings findings_;
  std::map<std::pair<uint64_t, uint32_t>, std::vector<observe::BarrierArrival>> arrived_; // bar.arrive, by barrier
};

} // namespace tollgate::checks
