// out-of-bounds, misaligned, null-pointer, use-after-free, host-pointer: every access must lie wholly inside one live
// object. With hooks each access is looked at before it happens; without, the faults that the engine could not carry
// out are explained.
#pragma once

#include "checks/support.h"

#include <array>
#include <set>

namespace tollgate::checks {

class Bounds final : public observe::Observer {
public:
  Bounds(observe::FindingSink& sink, const observe::MemoryMap& memory, bool each_access)
      : Observer(sink, memory), findings_(sink), each_access_(each_access) {}

  [[nodiscard]] observe::EventSet events() const override {
    return each_access_ ? observe::UnsoundEvents : observe::NoEvents;
  }
  void on_launch(const observe::LaunchInfo& info) override;
  void on_launch_end() override;
  void on_memory(const observe::MemoryEvent& event) override;
  void on_block_begin(const observe::BlockRef&) override { known_ = {}; }
  void on_device_free(uint64_t) override { known_ = {}; }
  void on_bad_free(const observe::BadFreeEvent& event) override;
  void on_fault(const observe::FaultEvent& event) override;

private:
  // What is wrong with one address; `rule` is empty if nothing is.
  struct Verdict {
    std::string rule, message, help, object, note;
  };

  [[nodiscard]] Verdict judge(uint64_t address, uint32_t bytes, const std::string& access) const;
  [[nodiscard]] Verdict judge_call(uint64_t target) const;
  [[nodiscard]] Verdict outside(uint64_t address, uint32_t bytes, const std::string& access,
                                const observe::AllocationInfo& object) const;
  [[nodiscard]] Verdict before(uint64_t address, uint32_t bytes, const std::string& access,
                               const observe::AllocationInfo& object) const;
  [[nodiscard]] observe::AllocationInfo object_above(uint64_t address) const;
  void report(const observe::MemoryEvent& event, observe::LaneMask bad, bool misaligned);

  // Shared variables and the local memory of lanes share one live object each: what part an access may touch.
  struct Known {
    uint64_t base = 0, size = 0;
    observe::AllocationInfo::Kind kind = observe::AllocationInfo::Kind::None;
  };
  [[nodiscard]] const Known& object_at(uint64_t address);
  [[nodiscard]] bool in_gap(uint64_t offset, uint64_t bytes) const;
  [[nodiscard]] observe::LaneMask outside_part(const observe::MemoryEvent& event, uint64_t low, uint64_t high);
  [[nodiscard]] observe::AllocationInfo part_of(const observe::AllocationInfo& object, uint64_t address) const;

  Launch launch_;
  RepeatingFindings findings_;
  std::set<observe::SiteId> reported_; // sites whose fault has been explained already, in this launch
  bool each_access_;
  std::array<Known, 4> known_{}; // the last ones
  unsigned next_known_ = 0;
  std::vector<std::pair<uint64_t, uint64_t>> gaps_; // of shared memory: [begin, end) that belongs to no variable
};

} // namespace tollgate::checks
