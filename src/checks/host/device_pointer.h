// device-pointer: the host reads or writes through a pointer to device memory. Needs no hooks in the code.
#pragma once

#include "checks/support.h"

namespace tollgate::checks {

class DevicePointer final : public observe::Observer {
public:
  DevicePointer(observe::FindingSink& sink, const observe::MemoryMap& memory) : Observer(sink, memory) {}

  [[nodiscard]] observe::EventSet events() const override { return observe::NoEvents; }
  void on_host_fault(const observe::HostFaultEvent& event) override;
};

} // namespace tollgate::checks
