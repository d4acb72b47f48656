#include "checks/host/device_pointer.h"

namespace tollgate::checks {

using observe::AllocationInfo;
using observe::Finding;

// The launch in progress, if there is one, has nothing to do with it: the finding names no kernel.
void DevicePointer::on_host_fault(const observe::HostFaultEvent& event) {
  const AllocationInfo object = memory_.lookup(event.address);
  const uint64_t offset = event.address - object.base;
  const std::string size = digits(object.size) + "-byte ";
  std::string name;
  switch (object.kind) {
  case AllocationInfo::Kind::None: name = "an address of the device"; break;
  case AllocationInfo::Kind::Freed: name = "a freed " + size + "allocation of device memory"; break;
  case AllocationInfo::Kind::ModuleVariable:
    name = "the device variable" + (object.name.empty() ? "" : " `" + object.name + "`");
    break;
  default: name = "a " + size + "allocation of device memory"; break;
  }
  if (object.kind != AllocationInfo::Kind::None) name = "byte " + digits(offset) + " of " + name;
  Finding finding;
  finding.rule = "device-pointer";
  finding.severity = observe::Severity::Error;
  finding.message = "the host accesses " + name + " through its pointer";
  finding.help =
      "copy the data with cudaMemcpy (variables: cudaMemcpyFromSymbol), or allocate it with cudaMallocManaged";
  finding.at.at.stack = event.lines;
  finding.at.object = event.lines.empty() ? event.where : name;
  finding.at.role = "accessed here by the host";
  if (!object.allocated_at.empty()) finding.notes.push_back("allocated at " + object.allocated_at);
  sink_.report(std::move(finding));
}

} // namespace tollgate::checks
