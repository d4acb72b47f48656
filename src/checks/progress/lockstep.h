// lockstep-hazard (off by default): lanes of a warp wait in a loop for another lane of the same warp.
//
// Lanes that spent their budget in a waiting loop give way. If another lane of their warp then writes what they read
// last, it took independent thread scheduling to get there: where lanes run in step, the writer would still stand
// behind the loop.
#pragma once

#include "checks/support.h"

#include <array>
#include <unordered_map>

namespace tollgate::checks {

class LockstepHazard final : public observe::Observer {
public:
  LockstepHazard(observe::FindingSink& sink, const observe::MemoryMap& memory)
      : Observer(sink, memory), findings_(sink) {}

  [[nodiscard]] observe::EventSet events() const override {
    return static_cast<observe::EventSet>(observe::MemoryEvents | observe::SyncEvents);
  }
  void on_launch(const observe::LaunchInfo& info) override;
  void on_launch_end() override { findings_.flush(); }
  void on_block_end(const observe::BlockRef& block) override;
  void on_memory(const observe::MemoryEvent& event) override;
  void on_give_way(const observe::GiveWayEvent& event) override;

private:
  struct Lane {
    uint64_t address = 0; // of the last atomic or volatile read
    observe::SiteId site = 0;
    uint64_t when = 0;
  };
  struct Warp {
    std::array<Lane, observe::warp_size> lanes{};
    observe::LaneMask gave_way = 0; // and did nothing since
    uint64_t when = 0;              // the last time that lanes gave way
  };
  void report(const observe::MemoryEvent& event, const Warp& warp, observe::LaneMask waiting, uint64_t address);

  Launch launch_;
  RepeatingFindings findings_;
  uint64_t now_ = 0; // counts events
  std::unordered_map<uint64_t, std::unordered_map<uint32_t, Warp>> blocks_;
};

} // namespace tollgate::checks
