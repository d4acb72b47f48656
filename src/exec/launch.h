// One kernel launch: the blocks, who runs them, and how it ends.
#pragma once

#include "exec/livelock.h"
#include "exec/memory.h"
#include "jit/jit.h"
#include "observe/finding.h"
#include "observe/observer.h"
#include "simd/warp_context.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tollgate::exec {

enum class EndReason : uint8_t {
  None,
  Fault,
  BlockLeft, // an access to the shared memory of a block of the cluster that has left
  Trap,
  Assert,
  Stuck,
  Interrupted,
  Timeout,
  StackOverflow,
  OutOfMemory,
  NotModelled
};

// Services that device code reaches through system calls (device_printf.h, device_heap.h).
struct DeviceServices {
  std::function<int(uint64_t format, uint64_t arguments)> print;
  std::function<uint64_t(uint64_t bytes)> allocate;
  std::function<bool(uint64_t address)> release; // false: it is nothing that `allocate` gave
};

struct LaunchConfig {
  const jit::CompiledKernel* kernel = nullptr;
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  bool explicit_cluster = false; // %is_explicit_cluster: the launch or the kernel gave it
  uint32_t dynamic_shared = 0;
  std::span<const uint8_t> params;
  std::span<const uint64_t> symbols; // device address by index of ptx::Module::variables
  bool cooperative = false;
  unsigned workers = 1;
  unsigned multiprocessors = 4;
  uint64_t resident_blocks = 0; // that the device holds at a time; 0: as many as there is memory for
  uint64_t local_stride = 0;    // bytes of local memory a lane
  uint64_t seed = 0;
  uint64_t grid_id = 0;
  double timeout_seconds = 0;
  std::span<observe::Observer* const> observers;
  observe::EventSet events = observe::NoEvents;
  const DeviceServices* services = nullptr;
  // 0 while somebody outside the kernel could change memory before it ends. Otherwise (every host thread waits for it,
  // no copy is on its way) a number that stays as long as nobody has woken. Null: not known, and no livelock is ever
  // found.
  std::function<uint64_t()> alone_since;
};

struct LaunchOutcome {
  EndReason reason = EndReason::None;
  std::string message;
  observe::SiteId site = 0;
  std::optional<observe::ThreadIndex> thread; // one that did it, where that is known
};

// The observers of a launch, by what they ask for; none if the launch is not watched.
struct Listeners {
  Listeners() = default;
  explicit Listeners(const LaunchConfig& config);
  void wake(); // after a block began or ended

  using List = std::vector<observe::Observer*>;
  List blocks, barriers, sync, unsound, atomics;
  List memory; // those that are not idle
private:
  List sleepers_; // all that ask for memory events
};

// Offsets [begin, end).
struct Stretch {
  uint64_t begin = 0, end = 0;
};

// Shared by the workers of one launch.
struct Launch {
  const LaunchConfig* config = nullptr;
  Listeners listeners;
  DeviceMemory* memory = nullptr;
  simd::LaunchControl control;
  uint64_t blocks = 0;
  uint32_t threads = 0, warps = 0; // of a block
  unsigned cluster_size = 1;       // blocks
  uint64_t param_device = 0;
  uint64_t grid_workspace = 0;             // grid.sync state, cooperative launches
  std::vector<Stretch> shared_parts;       // of a block's shared memory, what variables take, ascending; with observers
  std::unique_ptr<LivelockWatch> livelock; // with observers, on one worker
  std::mutex mutex;
  LaunchOutcome outcome; // the first reason wins
  // In a cache line of its own: all workers write it, and read the others at every barrier.
  alignas(64) std::atomic<uint64_t> next_block{0};

  void end(EndReason reason, std::string message, observe::SiteId site = 0,
           std::optional<observe::ThreadIndex> thread = {});
  [[nodiscard]] uint64_t shared_bytes() const { // of a block
    return config->kernel->static_shared_bytes + config->dynamic_shared;
  }
  // Of a lane's local memory, what its variables take. Calls that are not inlined stack their frames.
  [[nodiscard]] uint64_t local_frame() const {
    return config->kernel->functions.size() > 1 ? config->local_stride : config->kernel->local_bytes;
  }
  // The only one that hears of all accesses, which may then take them in its own ways (Observer::on_rows); or null.
  [[nodiscard]] observe::Observer* only_observer() const {
    const bool watched = livelock && livelock->active();
    return listeners.memory.size() == 1 && !watched ? listeners.memory[0] : nullptr;
  }
  [[nodiscard]] bool ending() const { return __atomic_load_n(&control.stop, __ATOMIC_RELAXED) != 0; }
};

// Threads that were started to run launches; they stay.
unsigned pool_threads();

// Runs the launch on the calling thread and `workers - 1` others; returns when every block is done or it was ended.
// `interrupt` is looked at now and then; a true value ends the launch.
LaunchOutcome run_launch(const LaunchConfig& config, DeviceMemory& memory, const std::atomic<bool>& interrupt);

} // namespace tollgate::exec
