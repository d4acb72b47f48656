// Kernels: limits of a launch, compilation at first use, and what the end of a launch means to the program.
#include "engine/engine_impl.h"
#include "engine/refused.h"
#include "exec/device_printf.h"
#include "exec/runtime_symbols.h"
#include "jit/code_cache.h"
#include "lower/kernel_lowering.h"

#include <algorithm>
#include <cstdio>

namespace tollgate::engine {

namespace {

// Limits of the CUDA C++ Programming Guide's table "Technical Specifications per Compute Capability".
struct Limits {
  uint64_t static_shared = 48 * 1024;
  uint64_t shared_per_block, shared_per_sm;
  unsigned threads_per_sm, blocks_per_sm;
};

Limits limits_of(unsigned sm) {
  if (sm >= 90) return {48 * 1024, 227 * 1024, 228 * 1024, 2048, 32};
  if (sm == 86 || sm == 89) return {48 * 1024, 99 * 1024, 100 * 1024, 1536, 24};
  if (sm >= 80) return {48 * 1024, 163 * 1024, 164 * 1024, 2048, 32};
  return {48 * 1024, 64 * 1024, 64 * 1024, 1024, 16};
}

// WidenOptions::row for blocks of this shape. A block of one row needs none: x counts up in all of it.
unsigned row_of(const std::array<uint32_t, 3>& block) {
  if (uint64_t(block[1]) * block[2] == 1 || block[0] % 32 == 0) return 32;
  return block[0] % 16 == 0 ? 16 : block[0] % 8 == 0 ? 8 : 32;
}

// Names of templates outgrow what a file may be called.
std::string dump_name(const std::string& kernel) {
  constexpr size_t most = 200;
  return kernel.size() <= most ? kernel : kernel.substr(0, most) + "." + jit::digest(kernel).substr(0, 16);
}

} // namespace

LaunchResult EngineImpl::check_limits(const LaunchRequest& request) const {
  auto bad = [](std::string message) { return LaunchResult{Status::InvalidConfiguration, std::move(message)}; };
  const auto& g = request.grid;
  const auto& b = request.block;
  for (int i = 0; i < 3; ++i)
    if (g[size_t(i)] == 0 || b[size_t(i)] == 0) return bad("a dimension of the grid or of the block is 0");
  uint64_t threads = uint64_t(b[0]) * b[1] * b[2];
  if (threads > 1024) return bad("a block of " + std::to_string(threads) + " threads: the limit is 1,024");
  if (b[2] > 64) return bad("the block's z dimension is more than 64");
  if (g[0] > 0x7fffffffu || g[1] > 65535 || g[2] > 65535)
    return bad("the grid is too large: at most 2^31-1 x 65,535 x 65,535 blocks");
  const auto& c = request.cluster;
  const uint64_t blocks = uint64_t(c[0]) * c[1] * c[2];
  if (blocks == 0 || blocks > exec::kMaxCluster) return bad("a cluster has 1 to 16 blocks");
  for (int i = 0; i < 3; ++i)
    if (g[size_t(i)] % c[size_t(i)] != 0) return bad("the grid is no multiple of the cluster");
  const KernelInfo& info = request.kernel->info;
  if (threads > info.max_threads)
    return bad("a block of " + std::to_string(threads) + " threads: the kernel was compiled for at most " +
               std::to_string(info.max_threads));
  Limits limits = limits_of(config_.sm);
  if (info.static_shared_bytes + request.dynamic_shared_bytes > limits.shared_per_block)
    return bad("the block asks for " + std::to_string(info.static_shared_bytes + request.dynamic_shared_bytes) +
               " bytes of shared memory: the limit is " + std::to_string(limits.shared_per_block));
  return {};
}

unsigned EngineImpl::max_active_blocks(const Kernel* kernel, unsigned block_threads,
                                       uint64_t dynamic_shared_bytes) const {
  Limits limits = limits_of(config_.sm);
  if (block_threads == 0 || block_threads > std::min(1024u, kernel->info.max_threads)) return 0;
  unsigned rounded = (block_threads + 31) / 32 * 32;
  unsigned blocks = std::min(limits.blocks_per_sm, limits.threads_per_sm / rounded);
  uint64_t shared = kernel->info.static_shared_bytes + dynamic_shared_bytes;
  if (shared > limits.shared_per_block) return 0;
  if (shared != 0) blocks = std::min<unsigned>(blocks, unsigned(limits.shared_per_sm / (shared + 1024)));
  return std::max(1u, blocks);
}

bool EngineImpl::observed(const Kernel& kernel) const {
  return config_.kernel_filter.empty() || std::regex_search(kernel.demangled, kernel_filter_);
}

// Launches are numbered from 1; with --shard I/N the launches I, I+N, ... are watched, the others only run.
bool EngineImpl::in_shard(uint64_t launch) const {
  return config_.shards == 0 || (launch - 1) % config_.shards + 1 == config_.shard;
}

LaunchResult EngineImpl::compile(Kernel& kernel, bool watched, const std::array<uint32_t, 3>& block,
                                 const jit::CompiledKernel*& code) {
  std::lock_guard lock(kernel.mutex);
  const unsigned row = row_of(block);
  std::shared_ptr<const jit::CompiledKernel>& slot = kernel.code[{watched, row}];
  if (slot) {
    code = slot.get();
    return {};
  }
  auto failed = [&] {
    return LaunchResult{kernel.unsupported ? Status::NotSupported : Status::InvalidImage, kernel.failure};
  };
  if (!kernel.failure.empty()) return failed();
  std::call_once(jit_once_, [this] {
    auto symbols = exec::runtime_symbols();
    auto jit = jit::Jit::create(symbols);
    if (jit)
      jit_ = std::move(*jit);
    else
      jit_failure_ = jit.error().to_string();
  });
  auto give_up = [&](const Error& error, bool unsupported) {
    kernel.failure = error.to_string();
    kernel.unsupported = unsupported;
    if (unsupported) return failed(); // a finding says it
    fprintf(stderr, "tollgate: cannot run kernel %s\n%s\n", kernel.demangled.c_str(), kernel.failure.c_str());
    note_incomplete(kernel.demangled + ": " + error.message);
    return failed();
  };
  if (!jit_)
    return give_up(Error{.message = jit_failure_, .remedy = "", .file = "", .position = {}, .excerpt = ""}, false);

  lower::LowerOptions lower_options;
  lower_options.unoptimised = config_.unoptimised;
  lower_options.shared_red_zone = red_zone();
  auto lowered = lower::lower_kernel(kernel.module->ptx, kernel.info.name, lower_options);
  if (!lowered) {
    report_not_modelled(kernel, lowered.error().message,
                        place_of_refusal(*kernel.module->ptx, kernel.info.name, lowered.error()));
    return give_up(lowered.error(), true);
  }
  jit::CompileOptions options;
  options.widen.bias = exec::kBias;
  options.widen.row = row;
  observe::EventSet events = watched && observed(kernel) ? events_ : observe::NoEvents;
  options.widen.observe_memory = (events & observe::AccessEvents) != 0;
  options.widen.note_accesses = (events & observe::MemoryEvents) != 0;
  options.widen.observe_sync = (events & observe::SyncEvents) != 0;
  options.widen.observe_undefined = (events & observe::UndefinedEvents) != 0;
  if (options.widen.observe_undefined) options.widen.written_bias = exec::kWrittenBias;
  options.widen.observe_barriers = (events & observe::BarrierEvents) != 0;
  options.source = kernel.module->digest + ' ' + kernel.info.name + (lower_options.unoptimised ? " -O0" : "") +
                   (lower_options.shared_red_zone != 0 ? " zones" : "");
  if (const char* prefix = getenv("TOLLGATE_DUMP"))
    options.dump_prefix = std::string(prefix) + "/" + dump_name(kernel.info.name);
  auto compiled = jit_->compile(std::move(*lowered), options);
  if (!compiled) return give_up(compiled.error(), false);
  slot = std::make_shared<jit::CompiledKernel>(std::move(*compiled));
  code = slot.get();
  if (!slot->approximate.empty()) kernel.approximate = true;
  kernel.info.static_shared_bytes = slot->device_shared_bytes - slot->reserved_shared_bytes;
  return {};
}

// Once, however often the kernel is launched.
void EngineImpl::note_incomplete(std::string reason) {
  std::lock_guard guard(mutex_);
  if (std::find(incomplete_.begin(), incomplete_.end(), reason) == incomplete_.end())
    incomplete_.push_back(std::move(reason));
}

void EngineImpl::report_not_modelled(const Kernel& kernel, const std::string& message, const observe::Place& place) {
  observe::Finding finding;
  finding.rule = "not-modelled";
  finding.severity = observe::Severity::Note;
  finding.kernel = kernel.demangled;
  finding.message = message;
  finding.help = "the kernel was not run to its end; what depends on it is not to be trusted";
  finding.at.at = place;
  report(std::move(finding));
}

LaunchResult EngineImpl::prepare(Kernel* kernel, const std::array<uint32_t, 3>& block) {
  const jit::CompiledKernel* code = nullptr;
  return compile(*kernel, true, block, code);
}

uint64_t EngineImpl::local_stride(const jit::CompiledKernel& code) const {
  uint64_t bytes = (code.local_bytes + (code.local_bytes == 0 ? 0 : red_zone()) + 63) / 64 * 64;
  // Calls that are not inlined stack their frames; only pages that are touched cost memory.
  if (code.functions.size() > 1) bytes = std::max<uint64_t>(bytes * 2, 256 * exec::KiB);
  // Lanes a page apart would all meet in one set of the cache.
  if (bytes != 0 && bytes % 4096 == 0) bytes += 64;
  return bytes;
}

void EngineImpl::announce(const LaunchRequest& request, const jit::CompiledKernel& code, uint64_t resident_blocks) {
  observe::LaunchInfo info;
  info.kernel = request.kernel->info.name;
  info.kernel_demangled = request.kernel->demangled;
  info.grid = request.grid;
  info.block = request.block;
  info.threads_per_block = request.block[0] * request.block[1] * request.block[2];
  info.warps_per_block = (info.threads_per_block + 31) / 32;
  info.shared_bytes = code.static_shared_bytes + request.dynamic_shared_bytes;
  info.cluster = request.cluster;
  info.cooperative = request.cooperative;
  info.unoptimised = config_.unoptimised;
  info.sequence = launches_;
  info.sm = config_.sm;
  info.resident_blocks = resident_blocks;
  info.sites = code.sites.get();
  for (const lower::SharedVariable& v : code.shared) info.shared.push_back({v.name, v.offset, v.size, v.reserved});
  info.local_stride = local_stride(code);
  // Calls that are not inlined stack their frames: what of it is in use changes.
  info.local_frame = code.functions.size() > 1 ? info.local_stride : code.local_bytes;
  for (observe::Observer* o : observer_list_) o->on_launch(info);
}

LaunchResult EngineImpl::to_result(const exec::LaunchOutcome& outcome, Kernel& kernel,
                                   const jit::CompiledKernel& code) {
  using exec::EndReason;
  LaunchResult r;
  r.message = outcome.message;
  if (outcome.reason != EndReason::None) flush_printf();
  switch (outcome.reason) {
  case EndReason::None: return r;
  case EndReason::Fault: r.status = Status::IllegalAddress; break;
  case EndReason::BlockLeft: r.status = Status::LaunchFailure; break; // as an H200 says
  case EndReason::Trap: r.status = Status::Trap; break;
  case EndReason::Assert:
    r.status = Status::Assert;
    fprintf(stderr, "%s\n", outcome.message.c_str());
    break;
  case EndReason::Stuck: r.status = Status::Deadlock; break;
  case EndReason::Interrupted: r.status = Status::Interrupted; break;
  case EndReason::Timeout: r.status = Status::LaunchTimeout; break;
  case EndReason::StackOverflow: r.status = Status::LaunchFailure; break;
  case EndReason::NotModelled: {
    r.status = Status::NotSupported;
    observe::Place place = code.sites->place(outcome.site);
    r.message = "the instruction " + place.instruction + " is not modelled";
    report_not_modelled(kernel, r.message, place);
    break;
  }
  case EndReason::OutOfMemory: r.status = Status::OutOfMemory; break;
  }
  report_end(kernel, outcome, code);
  r.message = "kernel " + kernel.demangled + ": " + r.message;
  return r;
}

// Ends that no observer sees. Without a finding the verdict on a kernel that stopped half-way would be "clean".
void EngineImpl::report_end(const Kernel& kernel, const exec::LaunchOutcome& outcome, const jit::CompiledKernel& code) {
  using exec::EndReason;
  observe::Finding finding;
  finding.message = outcome.message;
  switch (outcome.reason) {
  case EndReason::Assert:
    finding.rule = "device-assert";
    finding.help = "find out why the condition does not hold for this thread: print its operands before the assert";
    break;
  case EndReason::Trap:
    finding.rule = "trap";
    finding.help = "see which condition leads to __trap(), or to code that the compiler knows to be unreachable";
    break;
  case EndReason::StackOverflow:
    finding.rule = "stack-overflow";
    finding.help = "bound the recursion, or turn it into a loop";
    break;
  default: return;
  }
  finding.kernel = kernel.demangled;
  finding.at.at = code.sites->place(outcome.site);
  if (outcome.thread) {
    finding.at.thread = *outcome.thread;
    auto tuple = [](const std::array<uint32_t, 3>& v) {
      return "(" + std::to_string(v[0]) + "," + std::to_string(v[1]) + "," + std::to_string(v[2]) + ")";
    };
    finding.at.threads = "thread " + tuple(outcome.thread->thread) + " of block " + tuple(outcome.thread->block);
    finding.at.role = "reached by " + finding.at.threads;
  }
  report(std::move(finding));
}

} // namespace tollgate::engine
