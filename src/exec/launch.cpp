#include "exec/launch.h"

#include "exec/fault.h"
#include "exec/worker.h"
#include "exec/written.h"

#include <chrono>

namespace tollgate::exec {

Listeners::Listeners(const LaunchConfig& config) {
  if (config.events == observe::NoEvents) return;
  for (observe::Observer* o : config.observers) {
    const observe::EventSet events = o->events();
    if (events != observe::NoEvents) blocks.push_back(o);
    if ((events & observe::BarrierEvents) != 0) barriers.push_back(o);
    if ((events & observe::SyncEvents) != 0) sync.push_back(o);
    if ((events & observe::MemoryEvents) != 0)
      sleepers_.push_back(o);
    else if ((events & observe::AtomicEvents) != 0)
      atomics.push_back(o);
    else if ((events & observe::UnsoundEvents) != 0)
      unsound.push_back(o);
  }
  wake();
}

void Listeners::wake() {
  if (sleepers_.empty()) return;
  memory.clear();
  for (observe::Observer* o : sleepers_)
    if (!o->idle()) memory.push_back(o);
}

void Launch::end(EndReason reason, std::string message, observe::SiteId site,
                 std::optional<observe::ThreadIndex> thread) {
  std::lock_guard lock(mutex);
  if (outcome.reason == EndReason::None) outcome = {reason, std::move(message), site, thread};
  __atomic_store_n(&control.stop, 1, __ATOMIC_SEQ_CST);
}

// Red zones part the variables; where there are no names, all is one.
static std::vector<Stretch> shared_parts(const jit::CompiledKernel& kernel, uint64_t bytes) {
  if (kernel.shared.empty()) return {{0, bytes}};
  std::vector<Stretch> parts;
  for (const lower::SharedVariable& v : kernel.shared) {
    const uint64_t end = v.size == 0 ? bytes : v.offset + v.size; // size 0: an extern array
    if (!parts.empty() && v.offset <= parts.back().end)
      parts.back().end = std::max(parts.back().end, end);
    else
      parts.push_back({v.offset, end});
  }
  return parts;
}

LaunchOutcome run_launch(const LaunchConfig& config, DeviceMemory& memory, const std::atomic<bool>& interrupt) {
  Launch launch;
  launch.config = &config;
  launch.listeners = Listeners(config);
  launch.memory = &memory;
  launch.blocks = uint64_t(config.grid[0]) * config.grid[1] * config.grid[2];
  launch.threads = config.block[0] * config.block[1] * config.block[2];
  launch.cluster_size = config.cluster[0] * config.cluster[1] * config.cluster[2];
  launch.warps = (launch.threads + simd::kLanes - 1) / simd::kLanes;
  if (!config.observers.empty()) launch.shared_parts = shared_parts(*config.kernel, launch.shared_bytes());
  // Room for the widest load past the last parameter.
  launch.param_device = memory.allocate_params(config.params);
  if (config.cooperative) {
    // cooperative groups keeps its arrival counter in a workspace that %envreg1:%envreg2 point at.
    launch.grid_workspace = memory.allocate(256, MemoryKind::Device, "grid workspace");
    if (void* p = memory.host_view(launch.grid_workspace, 256)) memset(p, 0, 256);
    note_written(launch.grid_workspace, 256);
  }
  install_fault_handlers();
  auto started = std::chrono::steady_clock::now();
  auto watch = [&] {
    if (interrupt.load(std::memory_order_relaxed)) launch.end(EndReason::Interrupted, "interrupted");
    std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - started;
    if (config.timeout_seconds > 0 && elapsed.count() > config.timeout_seconds)
      launch.end(EndReason::Timeout,
                 "the kernel ran for more than " + std::to_string(config.timeout_seconds) + " seconds");
  };
  auto workers = unsigned(
      std::min<uint64_t>(std::max(1u, config.workers), std::max<uint64_t>(1, launch.blocks / launch.cluster_size)));
  if (workers == 1 && config.alone_since && (config.events & observe::AccessEvents) != 0)
    launch.livelock = std::make_unique<LivelockWatch>();
  run_on_pool(workers, [&](unsigned i) { run_worker(launch, i); }, watch);
  if ((config.events & observe::UndefinedEvents) == 0 && has_written()) memory.trust_all();
  memory.release_params(launch.param_device);
  if (launch.grid_workspace != 0) memory.release(launch.grid_workspace);
  return launch.outcome;
}

} // namespace tollgate::exec
