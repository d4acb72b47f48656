// barrier-mismatch: threads that met at one barrier did not make the same call.
//  - at a __syncthreads-style barrier (number 0, no count): a warp split between two calls is an error (PTX ISA, bar:
//    all threads of the warp must execute the same aligned instruction), whole warps at different calls a warning;
//  - on any barrier: thread counts that differ, or bar.red mixed with another kind, are errors.
// Several calls on one named barrier are legal: that is how producer and consumer warps use it.
#pragma once

#include "checks/support.h"

namespace tollgate::checks {

class BarrierMismatch final : public observe::Observer {
public:
  BarrierMismatch(observe::FindingSink& sink, const observe::MemoryMap& memory)
      : Observer(sink, memory), findings_(sink) {}

  [[nodiscard]] observe::EventSet events() const override { return observe::BarrierEvents; }
  void on_launch(const observe::LaunchInfo& info) override;
  void on_launch_end() override;
  void on_cluster_barrier(const observe::ClusterBarrierEvent& event) override;
  void on_barrier_arrival(const observe::BarrierArrival& arrival) override;
  void on_barrier_completion(const observe::BarrierCompletion& completion) override;

private:
  // One call of the source at which threads wait.
  struct Call {
    std::string key;
    observe::SiteId site = 0;
    ThreadGroup threads;
    bool aligned = false;
  };

  [[nodiscard]] uint32_t threads_wanted(uint32_t count) const;
  [[nodiscard]] const std::string& key_of(observe::SiteId site);
  [[nodiscard]] std::vector<Call> calls_of(const observe::BarrierCompletion& completion);
  void report_kinds(const observe::BarrierArrival& first, const observe::BarrierArrival& second, bool counts);
  void report_calls(const observe::BarrierCompletion& completion, const std::vector<Call>& calls, bool split);

  Launch launch_;
  RepeatingFindings findings_;
  std::map<observe::SiteId, std::string> keys_;
  std::map<std::pair<uint64_t, uint32_t>, observe::BarrierArrival> first_; // (block, barrier) -> first of this phase
};

} // namespace tollgate::checks
