// needs-co-residency: a block got on only because a later block ran that the device had no room for yet.
//
// The scheduler starts blocks beyond the device's number only when all that are there wait in vain. If the value for
// which one of them waits then changes, and a block beyond the number made the change, a device would hang.
#pragma once

#include "checks/support.h"

#include <unordered_map>

namespace tollgate::checks {

class CoResidency final : public observe::Observer {
public:
  CoResidency(observe::FindingSink& sink, const observe::MemoryMap& memory) : Observer(sink, memory), findings_(sink) {}

  [[nodiscard]] observe::EventSet events() const override { return observe::MemoryEvents; }
  [[nodiscard]] bool idle() const override { return room_ == 0 || live_ < room_; }
  void on_launch(const observe::LaunchInfo& info) override;
  void on_launch_end() override { findings_.flush(); }
  void on_block_begin(const observe::BlockRef& block) override;
  void on_block_end(const observe::BlockRef& block) override;
  void on_memory(const observe::MemoryEvent& event) override;

private:
  struct Access {
    observe::BlockRef block;
    uint32_t warp = 0;
    observe::LaneMask mask = 0;
    observe::SiteId site = 0;
  };
  struct Watched { // an address that a block read while the device was full
    uint32_t bytes = 0;
    uint64_t value = 0;
    Access writer;       // the last access that may have changed it
    bool beyond = false; // it was of a block beyond the device's number
    Access changed_by;   // beyond, and the value did change
    bool changed = false;
  };
  [[nodiscard]] uint64_t value_at(uint64_t address, uint32_t bytes) const;
  void poll(const Access& access, const observe::MemoryEvent& event);
  void report(const Access& waiting, const Access& writer, uint64_t address);

  Launch launch_;
  RepeatingFindings findings_;
  uint64_t room_ = 0, live_ = 0; // blocks
  std::set<uint64_t> beyond_;    // blocks that started when the device was full
  std::unordered_map<uint64_t, Watched> watched_;
};

} // namespace tollgate::checks
