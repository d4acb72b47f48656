// The host touches an address of the device's window: nothing is mapped there, so the program is about to die of it.
#include "base/code_place.h"
#include "engine/engine_impl.h"
#include "exec/address.h"
#include "exec/fault.h"

namespace tollgate::engine {

namespace {

std::atomic<EngineImpl*> listener{nullptr};
thread_local bool telling = false;

// In a signal handler, but one for a fault of the instruction that stands there: it holds no lock of ours.
void on_host_fault(const void* address, uint64_t instruction) {
  const auto number = reinterpret_cast<uint64_t>(address);
  EngineImpl* engine = listener.load();
  if (engine == nullptr || telling || !exec::in_window(number)) return;
  telling = true;
  engine->host_fault(number, reinterpret_cast<const void*>(instruction));
  telling = false;
}

} // namespace

void EngineImpl::host_fault(uint64_t address, const void* instruction) {
  const observe::HostFaultEvent event{address, code_place(instruction), host_lines(instruction)};
  for (observe::Observer* o : observer_list_) o->on_host_fault(event);
}

void EngineImpl::listen_for_host_faults() {
  listener = this;
  exec::set_host_fault_hook(on_host_fault);
  exec::install_fault_handlers();
}

} // namespace tollgate::engine
