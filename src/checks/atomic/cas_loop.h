// atomic-cas-loop: an atomic that no instruction of the device does, so that the compiler or a header of the toolkit
// made a loop around compare-and-swap of it.
#pragma once

#include "checks/support.h"

#include <vector>

namespace tollgate::checks {

class AtomicCasLoop final : public observe::Observer {
public:
  AtomicCasLoop(observe::FindingSink& sink, const observe::MemoryMap& memory)
      : Observer(sink, memory), findings_(sink) {}

  [[nodiscard]] observe::EventSet events() const override { return observe::AtomicEvents; }
  void on_launch(const observe::LaunchInfo& info) override;
  void on_launch_end() override { findings_.flush(); }
  void on_memory(const observe::MemoryEvent& event) override;

  enum class Verdict : uint8_t { Unknown, Native, LoopInShared, Loop, HeaderLoop };
  // From the instruction alone, such as "atom.shared.add.f64", on a device of this compute capability.
  [[nodiscard]] static Verdict judge(std::string_view instruction, int sm);

private:
  [[nodiscard]] Verdict judge(const observe::MemoryEvent& event) const;
  void report(const observe::MemoryEvent& event, Verdict verdict);

  Launch launch_;
  RepeatingFindings findings_;
  std::vector<Verdict> sites_;
};

} // namespace tollgate::checks
