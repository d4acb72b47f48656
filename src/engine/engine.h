// The engine: one simulated CUDA device inside this process. The replacement libcudart, tests and tools sit on it.
// All addresses called "device" lie in a window that the host never maps (exec/memory.h); host_view translates.
#pragma once

#include "base/result.h"
#include "observe/observer.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tollgate::engine {

// Set by the command line through the environment variable TOLLGATE_CONFIG (JSON; config.h documents the keys).
struct Config {
  enum class Mode : uint8_t { Run, Check };
  Mode mode = Mode::Run;
  unsigned workers = 0; // 0: one per processor (check always uses 1)
  uint64_t seed = 0;
  unsigned sm = 80; // compute capability times ten: --arch
  unsigned multiprocessors = 4;
  double timeout_seconds = 0;       // 0: none
  std::string report_path;          // findings go here as JSON lines; "%p" is the process id; empty: standard error
  bool unoptimised = false;         // device code was compiled at -O0
  std::string kernel_filter;        // regular expression; empty: all
  std::vector<std::string> enabled; // rules that are off by default
  bool ptx_model = false;           // races by the letter of the PTX manual: --model ptx
  bool races = true;                // check: look for races as well
  unsigned shard = 0, shards = 0; // observe only the launches with a number of `shard` modulo `shards`, from 1; 0: all
};

enum class Status : uint8_t {
  Success,
  IllegalAddress,
  LaunchFailure,
  LaunchTimeout,
  Assert,
  InvalidConfiguration,
  NotSupported,
  NoKernelImage,
  OutOfMemory,
  Interrupted,
  Deadlock,
  Trap,
  InvalidImage,
};

struct LaunchResult {
  Status status = Status::Success;
  std::string message; // readable detail, empty on success
};

struct ParamInfo {
  uint32_t offset = 0, size = 0, align = 1;
};

struct KernelInfo {
  std::string name;
  std::vector<ParamInfo> params;
  uint32_t param_bytes = 0;
  uint64_t static_shared_bytes = 0, local_bytes = 0, const_bytes = 0;
  uint32_t max_threads = 1024;       // from .maxntid / .reqntid
  std::array<uint32_t, 3> cluster{}; // from .reqnctapercluster (__cluster_dims__); zero: the launch says
  uint32_t max_cluster = 0;          // from .maxclusterrank; 0: absent
  bool needs_cluster = false;        // .explicitcluster
  uint32_t registers = 32;           // an estimate: no register allocation takes place
  unsigned ptx_version = 0, target_sm = 0;
};

struct VariableInfo {
  uint64_t address = 0; // device
  uint64_t size = 0;
  bool managed = false;
};

class Module; // opaque: a loaded PTX module (or several, linked)
class Kernel; // opaque: an entry of a module; compiled at first launch

struct LaunchRequest {
  Kernel* kernel = nullptr;
  std::function<uint64_t()> alone_since; // exec::LaunchConfig
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  bool explicit_cluster = false; // launch or kernel gave the cluster
  uint64_t dynamic_shared_bytes = 0;
  std::vector<uint8_t> params; // param_bytes bytes, laid out as KernelInfo says
  bool cooperative = false;
  uint64_t stream = 0;
  std::string host_site; // "file:line" or "program+0x123" of the launch, may be empty
};

enum class MemoryKind : uint8_t { Device, Managed, PinnedHost };

struct PointerInfo {
  enum class Kind : uint8_t { Unregistered, Device, Managed, PinnedHost };
  Kind kind = Kind::Unregistered;
  uint64_t device = 0;         // device address of the pointer, 0 if none
  void* host = nullptr;        // host address, nullptr if none
  uint64_t base = 0, size = 0; // of the allocation, device side
};

// Thread-safe. Memory operations take effect at once: ordering against launches is the caller's (stream.h).
class Engine {
public:
  static Engine& instance(); // configured from the environment at first use; lives until process exit
  virtual ~Engine() = default;

  [[nodiscard]] virtual const Config& config() const = 0;

  // --- modules -------------------------------------------------------------------------------------------------
  // One or more PTX texts that refer to each other (-rdc=true). Parsing happens here, code generation at first launch.
  virtual Result<Module*> load_module(std::span<const std::string> ptx, std::string_view name) = 0;
  virtual void unload_module(Module* module) = 0;
  virtual Result<Kernel*> kernel(Module* module, std::string_view name) = 0;
  [[nodiscard]] virtual const KernelInfo& info(const Kernel* kernel) const = 0;
  virtual Result<VariableInfo> variable(Module* module, std::string_view name) = 0;

  // --- memory --------------------------------------------------------------------------------------------------
  // Device address, or 0 when out of memory. At least 256-byte aligned. Managed and pinned memory is also visible
  // to the host: pointer_info(address).host. For managed memory both addresses are the same number.
  virtual uint64_t allocate(uint64_t bytes, MemoryKind kind, std::string_view host_site) = 0;
  virtual bool release(uint64_t address) = 0; // false: not the start of a live allocation
  // Host memory registered by cudaHostRegister; returns its device address or 0.
  virtual uint64_t map_host(void* host, uint64_t bytes) = 0;
  virtual bool unmap_host(void* host) = 0;
  // A pointer through which the host may read and write device memory; nullptr if [address, address+bytes) is not
  // wholly inside one live object.
  virtual void* host_view(uint64_t address, uint64_t bytes) = 0;
  // The host wrote through such a pointer, or copied from one device address to another: for the rule uninitialized.
  virtual void note_written(uint64_t /*to*/, uint64_t /*bytes*/) {}
  virtual void copy_written(uint64_t /*to*/, uint64_t /*from*/, uint64_t /*bytes*/) {}
  [[nodiscard]] virtual PointerInfo pointer_info(const void* pointer) const = 0;
  virtual void memory_usage(uint64_t& free_bytes, uint64_t& total_bytes) const = 0;

  // --- execution -----------------------------------------------------------------------------------------------
  // Runs a kernel to its end on the calling thread plus the engine's workers; checks configuration limits first.
  // Never called on the thread that called cudaLaunchKernel: launches are asynchronous (stream.h).
  // Threads that the engine keeps for running kernels.
  virtual unsigned worker_threads() const = 0;
  virtual LaunchResult run(const LaunchRequest& request) = 0;
  // Compiles now what run would compile for blocks of this shape.
  virtual LaunchResult prepare(Kernel* kernel, const std::array<uint32_t, 3>& block) = 0;
  // How many blocks of this shape the device model holds per multiprocessor (at least 1 if launchable, else 0).
  [[nodiscard]] virtual unsigned max_active_blocks(const Kernel* kernel, unsigned block_threads,
                                                   uint64_t dynamic_shared_bytes) const = 0;
  // Source lines of an instruction of the host program; inlined calls are unfolded, innermost first. Empty without
  // debug information.
  // Whether the host program goes on without reading what a call returned, as far as its machine code from the return
  // address on tells, and that from `next` on where it hands the value on to its own caller.
  virtual bool drops_result(const void* /*return_address*/, const void* /*next*/) { return false; }
  virtual std::vector<observe::SourceFrame> host_lines(const void* /*instruction*/) { return {}; }
  // For cudaDeviceReset: all variables of loaded modules are as at first. No kernel may be running.
  virtual void reset_variables() = 0;
  virtual void flush_printf() = 0; // device printf output to stdout
  // A note for the report: an API call that is not supported, a failed call nobody looked at.
  virtual void report(observe::Finding finding) = 0;
  // Writes the summary line of the report; called once when the process ends normally.
  virtual void finish() = 0;
};

} // namespace tollgate::engine
