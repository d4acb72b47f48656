// warp-inactive-source: a shuffle read a lane that took no part in it, and the value was used. Who follows the value is
// generated code (simd/inactive_source.h).
#pragma once

#include "checks/support.h"

namespace tollgate::checks {

class InactiveSource final : public observe::Observer {
public:
  InactiveSource(observe::FindingSink& sink, const observe::MemoryMap& memory)
      : Observer(sink, memory), findings_(sink) {}

  [[nodiscard]] observe::EventSet events() const override { return observe::SyncEvents; }
  void on_launch(const observe::LaunchInfo& info) override { launch_.begin(info); }
  void on_launch_end() override;
  void on_inactive_use(const observe::InactiveUseEvent& event) override;

private:
  Launch launch_;
  RepeatingFindings findings_;
};

} // namespace tollgate::checks
