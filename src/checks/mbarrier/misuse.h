// mbarrier-misuse: operations on mbarrier objects that the PTX manual leaves undefined, and waits that never end.
#pragma once

#include "checks/support.h"

#include <map>
#include <unordered_map>

namespace tollgate::checks {

class MbarrierMisuse final : public observe::Observer {
public:
  MbarrierMisuse(observe::FindingSink& sink, const observe::MemoryMap& memory)
      : Observer(sink, memory), findings_(sink) {}

  [[nodiscard]] observe::EventSet events() const override { return observe::SyncEvents; }
  void on_launch(const observe::LaunchInfo& info) override;
  void on_launch_end() override;
  void on_block_begin(const observe::BlockRef& block) override {
    if (launch_.blocks_per_cluster() != 1) ++clusters_[launch_.cluster_of(block.linear)].blocks;
  }
  void on_block_end(const observe::BlockRef& block) override;
  void on_mbarrier(const observe::MbarrierEvent& event) override;
  void on_stuck(const observe::StuckEvent& event) override;

private:
  // Phases are numbered from 0. What a thread did last: phase -1 is the one "before" the first, complete from the
  // start.
  struct Thread {
    int64_t arrived = -1;  // in this phase
    int64_t observed = -2; // this one's completion
  };
  struct Object {
    observe::SiteId made = 0;
    int64_t phase = 0; // the present one
    uint32_t pending = 0, expected = 0;
    int32_t bytes = 0;                                       // as seen by the last wait in vain
    std::map<std::pair<uint64_t, uint32_t>, Thread> threads; // by block, index in it
  };
  using Objects = std::unordered_map<uint64_t, Object>; // by address
  struct Cluster {
    Objects objects;
    uint32_t blocks = 0; // that run
  };

  void make(const observe::MbarrierEvent& event, Objects& objects);
  void arrive(const observe::MbarrierEvent& event, Object& object, Thread& thread);
  void wait(const observe::MbarrierEvent& event, const Object& object, Thread& thread);
  // Reports once for each place; the caller's `what` goes into message and help.
  struct What {
    int kind;
    std::string message, help, role;
    observe::SiteId other = 0;
    std::string other_role = {};
  };
  void report(const observe::MbarrierEvent& event, const What& what);
  [[nodiscard]] std::string name(uint64_t address) const { return launch_.object(memory_.lookup(address), address); }

  Launch launch_;
  RepeatingFindings findings_;
  Objects& objects_of(const observe::BlockRef& block) { return clusters_[launch_.cluster_of(block.linear)].objects; }
  std::unordered_map<uint64_t, Cluster> clusters_; // a block may use the objects of others in its cluster
};

// Whether all threads that spin in vain do so at mbarrier objects.
[[nodiscard]] bool waits_at_mbarrier(const observe::StuckEvent& event);

} // namespace tollgate::checks
