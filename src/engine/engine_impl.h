// The one Engine: joins memory, code generation, execution, checks and the report.
#pragma once

#include "engine/modules.h"
#include "exec/device_heap.h"
#include "exec/launch.h"
#include "exec/memory.h"
#include "jit/host_lines.h"
#include "report/process_report.h"

#include <atomic>
#include <mutex>
#include <regex>

namespace tollgate::engine {

class EngineImpl final : public Engine {
public:
  explicit EngineImpl(Config config);

  const Config& config() const override { return config_; }
  Result<Module*> load_module(std::span<const std::string> ptx, std::string_view name) override;
  void unload_module(Module* module) override;
  Result<Kernel*> kernel(Module* module, std::string_view name) override;
  const KernelInfo& info(const Kernel* kernel) const override;
  Result<VariableInfo> variable(Module* module, std::string_view name) override;

  uint64_t allocate(uint64_t bytes, MemoryKind kind, std::string_view host_site) override;
  bool release(uint64_t address) override;
  uint64_t map_host(void* host, uint64_t bytes) override;
  bool unmap_host(void* host) override;
  void* host_view(uint64_t address, uint64_t bytes) override;
  void note_written(uint64_t to, uint64_t bytes) override;
  void copy_written(uint64_t to, uint64_t from, uint64_t bytes) override;
  PointerInfo pointer_info(const void* pointer) const override;
  void memory_usage(uint64_t& free_bytes, uint64_t& total_bytes) const override;

  unsigned worker_threads() const override { return exec::pool_threads(); }
  LaunchResult run(const LaunchRequest& request) override;
  LaunchResult prepare(Kernel* kernel, const std::array<uint32_t, 3>& block) override;
  bool drops_result(const void* return_address, const void* next) override;
  std::vector<observe::SourceFrame> host_lines(const void* instruction) override;
  unsigned max_active_blocks(const Kernel* kernel, unsigned block_threads,
                             uint64_t dynamic_shared_bytes) const override;
  void reset_variables() override;
  void flush_printf() override;
  void report(observe::Finding finding) override;
  void finish() override;
  void write_report();
  void host_fault(uint64_t address, const void* instruction); // host_fault.cpp

private:
  // A sink that also remembers whether anything was found, and lets observers be made before the report file exists.
  struct Sink : observe::FindingSink {
    EngineImpl* engine = nullptr;
    void report(observe::Finding finding) override { engine->report(std::move(finding)); }
  };

  void listen_for_host_faults();
  LaunchResult check_limits(const LaunchRequest& request) const;
  [[nodiscard]] bool in_shard(uint64_t launch) const;
  void count_launch(Kernel& kernel, const LaunchRequest& request);
  LaunchResult compile(Kernel& kernel, bool watched, const std::array<uint32_t, 3>& block,
                       const jit::CompiledKernel*& code); // kernels.cpp
  LaunchResult to_result(const exec::LaunchOutcome& outcome, Kernel& kernel, const jit::CompiledKernel& code);
  void announce(const LaunchRequest& request, const jit::CompiledKernel& code, uint64_t resident_blocks);
  [[nodiscard]] bool observed(const Kernel& kernel) const;
  // Bytes left free behind each shared variable and each lane's local memory, so that an access just past the end
  // meets nothing that is somebody's.
  [[nodiscard]] unsigned red_zone() const { return config_.mode == Config::Mode::Check ? 32 : 0; }
  uint64_t local_stride(const jit::CompiledKernel& code) const;
  void print(const std::string& text);
  void report_end(const Kernel& kernel, const exec::LaunchOutcome& outcome, const jit::CompiledKernel& code);
  void note_incomplete(std::string reason);
  void report_not_modelled(const Kernel& kernel, const std::string& message, const observe::Place& place);

  Config config_;
  exec::DeviceMemory memory_;
  exec::DeviceHeap heap_;
  exec::DeviceServices services_;
  std::mutex mutex_; // modules, report, printf
  std::vector<std::unique_ptr<Module>> modules_;
  std::vector<std::unique_ptr<Module>> unloaded_; // kept: a report may still name their sites
  std::unique_ptr<jit::Jit> jit_;
  std::string jit_failure_;
  std::once_flag jit_once_;
  jit::HostLines host_lines_;
  std::mutex host_lines_mutex_;
  Sink sink_;
  std::unique_ptr<report::ReportSink> report_;
  std::vector<std::unique_ptr<observe::Observer>> observers_;
  std::vector<observe::Observer*> observer_list_;
  observe::EventSet events_ = observe::NoEvents;
  std::vector<std::string> incomplete_;
  std::regex kernel_filter_;
  std::string printed_; // device printf not yet written
  std::mutex print_mutex_;
  std::atomic<uint64_t> launches_{0};
  bool finished_ = false;
};

// Set by the signal handler: launches end, the report is written, then the signal takes its usual course.
std::atomic<bool>& interrupt_flag();

} // namespace tollgate::engine
