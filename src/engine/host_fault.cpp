// The host touches an address of the device's window: nothing is mapped there, so the program is about to die of it.
#include "engine/engine_impl.h"
#include "exec/address.h"
#include "exec/fault.h"

#include <cstdio>
#include <dlfcn.h>

namespace tollgate::engine {

namespace {

std::atomic<EngineImpl*> listener{nullptr};
thread_local bool telling = false;

// "program+0x123", as host_site() of the runtime writes it.
std::string place_of(uint64_t instruction) {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(instruction), &info) == 0 || info.dli_fname == nullptr) return {};
  char offset[32];
  std::snprintf(offset, sizeof offset, "+0x%llx",
                static_cast<unsigned long long>(instruction - reinterpret_cast<uint64_t>(info.dli_fbase)));
  return std::string(info.dli_fname) + offset;
}

// In a signal handler, but one for a fault of the instruction that stands there: it holds no lock of ours.
void on_host_fault(const void* address, uint64_t instruction) {
  const auto number = reinterpret_cast<uint64_t>(address);
  EngineImpl* engine = listener.load();
  if (engine == nullptr || telling || !exec::in_window(number)) return;
  telling = true;
  engine->host_fault(number, place_of(instruction));
  telling = false;
}

} // namespace

void EngineImpl::host_fault(uint64_t address, std::string where) {
  const observe::HostFaultEvent event{address, std::move(where)};
  for (observe::Observer* o : observer_list_)
    o->on_host_fault(event);
}

void EngineImpl::listen_for_host_faults() {
  listener = this;
  exec::set_host_fault_hook(on_host_fault);
  exec::install_fault_handlers();
}

} // namespace tollgate::engine
