// deadlock and livelock: the scheduler found that no thread of a block can go on. Needs no hooks in the code.
#pragma once

#include "checks/support.h"

namespace tollgate::checks {

// One line for each warp and state, in the order of the threads: who waits where, who has left.
[[nodiscard]] std::vector<std::string> stuck_details(const Launch& launch, const observe::StuckBlock& event);

class StuckThreads final : public observe::Observer {
public:
  StuckThreads(observe::FindingSink& sink, const observe::MemoryMap& memory) : Observer(sink, memory) {}

  [[nodiscard]] observe::EventSet events() const override { return observe::NoEvents; }
  void on_launch(const observe::LaunchInfo& info) override { launch_.begin(info); }
  void on_stuck(const observe::StuckEvent& event) override;

private:
  // Threads that wait for the same thing at the same place.
  struct Wait {
    observe::WaitingLanes like;
    ThreadGroup threads;
  };

  [[nodiscard]] std::string role(const Wait& wait, const observe::StuckEvent& event,
                                 const std::vector<Wait>& all) const;

  Launch launch_;
};

} // namespace tollgate::checks
