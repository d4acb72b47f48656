// uninitialized: a value that nobody wrote is computed with, or decides a branch, an address or an atomic. Who follows
// the values is generated code (simd/undefined.h).
#pragma once

#include "checks/support.h"

namespace tollgate::checks {

class Uninitialized final : public observe::Observer {
public:
  Uninitialized(observe::FindingSink& sink, const observe::MemoryMap& memory)
      : Observer(sink, memory), findings_(sink) {}

  [[nodiscard]] observe::EventSet events() const override { return observe::UndefinedEvents; }
  void on_launch(const observe::LaunchInfo& info) override;
  void on_launch_end() override;
  void on_undefined_load(const observe::UndefinedLoadEvent& event) override;
  void on_undefined_use(const observe::UndefinedUseEvent& event) override;

private:
  // What a load read, the first time that it was not written.
  struct Source {
    std::string object, allocated_at;
    observe::AllocationInfo::Kind kind = observe::AllocationInfo::Kind::None;
    uint32_t bytes = 0;
  };
  [[nodiscard]] observe::Finding make(const observe::UndefinedUseEvent& event) const;

  Launch launch_;
  RepeatingFindings findings_;
  std::map<observe::SiteId, Source> sources_;
};

} // namespace tollgate::checks
