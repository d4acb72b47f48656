#include "checks/registry.h"
#include "engine/config.h"
#include "engine/engine_impl.h"
#include "engine/host_heap.h"
#include "exec/device_printf.h"
#include "exec/written.h"
#include "jit/host_result.h"

#include <csignal>
#include <cstdio>
#include <dlfcn.h>
#include <fstream>
#include <link.h>
#include <thread>
#include <unistd.h>

namespace tollgate::engine {

namespace {

std::atomic<bool> interrupted{false};
std::atomic<int> running{0}; // launches in progress
std::atomic<int> caught_signal{0};

// While a kernel runs the signal ends the launch, and the rest follows in run(); otherwise it acts as if we were not
// here.
void on_signal(int number) {
  if (running.load() > 0 && !interrupted.load()) {
    caught_signal = number;
    interrupted = true;
    return;
  }
  signal(number, SIG_DFL);
  raise(number);
}

void install_signal_handlers() {
  for (int number : {SIGINT, SIGTERM}) {
    struct sigaction old{};
    sigaction(number, nullptr, &old);
    if (old.sa_handler != SIG_DFL) continue; // the program has its own
    struct sigaction ours{};
    ours.sa_handler = on_signal;
    sigaction(number, &ours, nullptr);
  }
}

std::string program_name() {
  std::ifstream in("/proc/self/cmdline");
  std::string name;
  std::getline(in, name, '\0');
  return name;
}

exec::MemoryKind kind_of(MemoryKind kind) {
  return kind == MemoryKind::Managed      ? exec::MemoryKind::Managed
         : kind == MemoryKind::PinnedHost ? exec::MemoryKind::PinnedHost
                                          : exec::MemoryKind::Device;
}

report::KernelSummary summary_of(const Kernel& kernel) {
  return {kernel.demangled, kernel.launches, kernel.threads, kernel.approximate.load()};
}

} // namespace

std::atomic<bool>& interrupt_flag() { return interrupted; }

Engine& Engine::instance() {
  // Never destroyed: libcudart calls finish() at exit, and other exit handlers may still call in.
  static Engine* engine = [] {
    auto config = config_from_environment();
    if (!config) {
      fprintf(stderr, "tollgate: %s\n", config.error().to_string().c_str());
      _exit(97);
    }
    return new EngineImpl(*config);
  }();
  return *engine;
}

EngineImpl::EngineImpl(Config config) : config_(std::move(config)), heap_(memory_) {
  prepare_host_heap();
  if (config_.mode == Config::Mode::Check) config_.workers = 1;
  if (config_.workers == 0) config_.workers = std::max(1u, std::thread::hardware_concurrency());
  services_.print = [this](uint64_t format, uint64_t arguments) {
    std::string text;
    int n = exec::device_printf(memory_, format, arguments, text);
    print(text);
    return n;
  };
  services_.allocate = [this](uint64_t bytes) { return heap_.allocate(bytes); };
  services_.release = [this](uint64_t address) { return heap_.release(address); };
  sink_.engine = this;
  report_ = report::open_sink(config_.report_path, program_name());
  observers_ = checks::make_observers({.check = config_.mode == Config::Mode::Check,
                                       .races = config_.races,
                                       .enabled = config_.enabled,
                                       .ptx_model = config_.ptx_model},
                                      sink_, memory_);
  for (auto& o : observers_) {
    observer_list_.push_back(o.get());
    events_ = observe::EventSet(events_ | o->events());
  }
  // Where the host has no room for them, one rule is not checked; the others are.
  if ((events_ & observe::UndefinedEvents) != 0 && !exec::map_written())
    events_ = observe::EventSet(events_ & ~observe::UndefinedEvents);
  if (!config_.kernel_filter.empty()) kernel_filter_ = std::regex(config_.kernel_filter);
  install_signal_handlers();
  listen_for_host_faults();
}

Result<Module*> EngineImpl::load_module(std::span<const std::string> ptx, std::string_view name) {
  auto module = load(ptx, name, memory_);
  if (!module) return module.error();
  std::lock_guard lock(mutex_);
  modules_.push_back(std::move(*module));
  return modules_.back().get();
}

void EngineImpl::unload_module(Module* module) {
  std::lock_guard lock(mutex_);
  for (auto& m : modules_)
    if (m.get() == module) {
      unload(*m, memory_);
      unloaded_.push_back(std::move(m));
      std::erase(modules_, nullptr);
      return;
    }
}

void EngineImpl::reset_variables() {
  std::lock_guard lock(mutex_);
  for (const auto& module : modules_) initialise(*module, memory_);
}

Result<Kernel*> EngineImpl::kernel(Module* module, std::string_view name) {
  auto it = module->kernels.find(name);
  if (it == module->kernels.end())
    return Error{.message = "there is no kernel '" + std::string(name) + "' in " + module->name,
                 .remedy = "",
                 .file = "",
                 .position = {},
                 .excerpt = ""};
  return it->second.get();
}

const KernelInfo& EngineImpl::info(const Kernel* kernel) const { return kernel->info; }

Result<VariableInfo> EngineImpl::variable(Module* module, std::string_view name) {
  const ptx::Module& m = *module->ptx;
  for (size_t i = 0; i < m.variables.size(); ++i)
    if (m.variables[i].name == name && module->addresses[i] != 0)
      return VariableInfo{module->addresses[i], m.variables[i].size, m.variables[i].is_managed};
  return Error{.message = "there is no variable '" + std::string(name) + "' in " + module->name,
               .remedy = "",
               .file = "",
               .position = {},
               .excerpt = ""};
}

uint64_t EngineImpl::allocate(uint64_t bytes, MemoryKind kind, std::string_view host_site) {
  return memory_.allocate(bytes, kind_of(kind), host_site);
}
bool EngineImpl::release(uint64_t address) { return memory_.release(address); }
uint64_t EngineImpl::map_host(void* host, uint64_t bytes) { return memory_.map_host(host, bytes); }
bool EngineImpl::unmap_host(void* host) { return memory_.unmap_host(host); }
void EngineImpl::note_written(uint64_t to, uint64_t bytes) { exec::note_written(to, bytes); }
void EngineImpl::copy_written(uint64_t to, uint64_t from, uint64_t bytes) { exec::copy_written(to, from, bytes); }
void* EngineImpl::host_view(uint64_t address, uint64_t bytes) { return memory_.host_view(address, bytes); }

PointerInfo EngineImpl::pointer_info(const void* pointer) const {
  exec::PointerInfo in = memory_.pointer_info(pointer);
  PointerInfo out;
  out.kind = PointerInfo::Kind(uint8_t(in.kind));
  out.device = in.device;
  out.host = in.host;
  out.base = in.base;
  out.size = in.size;
  return out;
}

void EngineImpl::memory_usage(uint64_t& free_bytes, uint64_t& total_bytes) const {
  memory_.usage(free_bytes, total_bytes);
}

void EngineImpl::print(const std::string& text) {
  std::lock_guard lock(print_mutex_);
  printed_ += text;
  if (printed_.size() > 64 * 1024) {
    fwrite(printed_.data(), 1, printed_.size(), stdout);
    printed_.clear();
  }
}

void EngineImpl::flush_printf() {
  std::lock_guard lock(print_mutex_);
  if (printed_.empty()) return;
  fwrite(printed_.data(), 1, printed_.size(), stdout);
  fflush(stdout);
  printed_.clear();
}

bool EngineImpl::drops_result(const void* return_address, const void* next) {
  const jit::ResultUse use = jit::result_use(return_address);
  return (use == jit::ResultUse::Returned && next != nullptr ? jit::result_use(next) : use) == jit::ResultUse::Dropped;
}

std::vector<observe::SourceFrame> EngineImpl::host_lines(const void* instruction) {
  Dl_info info{};
  link_map* loaded = nullptr;
  if (dladdr1(instruction, &info, reinterpret_cast<void**>(&loaded), RTLD_DL_LINKMAP) == 0 || loaded == nullptr)
    return {};
  // The program itself has no name here, and argv[0] may be anything.
  const std::string binary = loaded->l_name == nullptr || *loaded->l_name == '\0' ? "/proc/self/exe" : loaded->l_name;
  const uint64_t address = reinterpret_cast<uint64_t>(instruction) - loaded->l_addr;
  std::lock_guard lock(host_lines_mutex_);
  std::vector<observe::SourceFrame> frames;
  for (auto& line : host_lines_.find(binary, address))
    frames.push_back({std::move(line.file), line.line, line.column, std::move(line.function)});
  return frames;
}

void EngineImpl::report(observe::Finding finding) { report_->report(std::move(finding)); }

void EngineImpl::finish() {
  write_report();
  if (jit_) jit_->finish();
}

void EngineImpl::write_report() {
  flush_printf();
  std::lock_guard lock(mutex_);
  if (finished_) return;
  finished_ = true;
  report::ProcessSummary summary;
  auto collect = [&](const std::vector<std::unique_ptr<Module>>& modules) {
    for (const auto& m : modules)
      for (const auto& [name, k] : m->kernels)
        if (k->launches != 0) summary.kernels.push_back(summary_of(*k));
  };
  collect(modules_);
  collect(unloaded_);
  summary.incomplete = incomplete_;
  report_->finish(summary);
}

// Before the kernel runs: the program may end meanwhile.
void EngineImpl::count_launch(Kernel& kernel, const LaunchRequest& request) {
  std::lock_guard lock(mutex_);
  ++kernel.launches;
  uint64_t threads = 1;
  for (const auto& extent : {request.grid, request.block})
    for (const uint32_t side : extent) threads *= side;
  kernel.threads += threads;
  report_->launched(&kernel, summary_of(kernel));
}

LaunchResult EngineImpl::run(const LaunchRequest& request) {
  Kernel& kernel = *request.kernel;
  if (LaunchResult r = check_limits(request); r.status != Status::Success) return r;
  const uint64_t number = ++launches_;
  const bool watched = in_shard(number);
  const jit::CompiledKernel* compiled = nullptr;
  if (LaunchResult r = compile(kernel, watched, request.block, compiled); r.status != Status::Success) return r;
  const jit::CompiledKernel& code = *compiled;

  exec::LaunchConfig launch;
  launch.kernel = &code;
  launch.grid = request.grid;
  launch.block = request.block;
  launch.cluster = request.cluster;
  launch.explicit_cluster = request.explicit_cluster;
  launch.dynamic_shared = uint32_t(request.dynamic_shared_bytes);
  launch.params = request.params;
  launch.symbols = kernel.module->addresses;
  launch.cooperative = request.cooperative;
  launch.workers = config_.workers;
  launch.multiprocessors = config_.multiprocessors;
  if (launch.workers == 1)
    launch.resident_blocks = uint64_t(config_.multiprocessors) *
                             max_active_blocks(&kernel, unsigned(launch.block[0] * launch.block[1] * launch.block[2]),
                                               launch.dynamic_shared);
  launch.local_stride = local_stride(code);
  launch.seed = config_.seed;
  launch.grid_id = number;
  launch.timeout_seconds = config_.timeout_seconds;
  launch.observers = observer_list_;
  launch.events = watched && observed(kernel) ? events_ : observe::NoEvents;
  launch.services = &services_;
  launch.alone_since = request.alone_since;

  announce(request, code, launch.resident_blocks);
  count_launch(kernel, request);
  ++running;
  exec::LaunchOutcome outcome = exec::run_launch(launch, memory_, interrupted);
  --running;
  for (observe::Observer* o : observer_list_) o->on_launch_end();
  if (outcome.reason == exec::EndReason::Interrupted) {
    write_report();
    int number = caught_signal.load();
    signal(number, SIG_DFL);
    raise(number);
  }
  return to_result(outcome, kernel, code);
}

} // namespace tollgate::engine
