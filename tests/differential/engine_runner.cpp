#include "engine_runner.h"

#include "checks/registry.h"
#include "engine/modules.h"
#include "exec/launch.h"
#include "exec/runtime_symbols.h"
#include "lower/kernel_lowering.h"
#include "ptx/parser.h"
#include "scalar_layout.h"
#include "scalar_machine.h"

#include <cstring>

namespace tollgate::differential {

namespace {

constexpr unsigned kKernelsPerJit = 100; // generated code is freed with its JIT

std::vector<uint8_t> params_of(uint64_t in, uint64_t out, uint64_t sums) {
  std::vector<uint8_t> bytes(28);
  uint64_t middle = in + kInputBytes / 2;
  std::memcpy(bytes.data(), &middle, 8);
  std::memcpy(bytes.data() + 8, &out, 8);
  std::memcpy(bytes.data() + 16, &sums, 8);
  std::memcpy(bytes.data() + 24, &kParamN, 4);
  return bytes;
}

struct NoReport : observe::FindingSink {
  void report(observe::Finding) override {}
};

} // namespace

struct EngineRunner::Impl {
  exec::DeviceMemory memory;
  NoReport sink;
  std::vector<std::unique_ptr<observe::Observer>> observers;
  std::unique_ptr<jit::Jit> jit;
  unsigned compiled = 0;
  std::atomic<bool> interrupt{false};
  exec::DeviceServices services;

  Impl() { observers = checks::make_observers({.check = true}, sink, memory); }

  struct Buffer {
    exec::DeviceMemory& memory;
    uint64_t address;
    size_t size;
    Buffer(exec::DeviceMemory& m, const std::vector<uint8_t>& bytes)
        : memory(m), address(m.allocate(bytes.size(), exec::MemoryKind::Device, "")), size(bytes.size()) {
      std::memcpy(memory.host_view(address, size), bytes.data(), size);
    }
    ~Buffer() { memory.release(address); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    std::vector<uint8_t> bytes() const {
      auto* p = static_cast<const uint8_t*>(memory.host_view(address, size));
      return {p, p + size};
    }
  };

  Result<jit::CompiledKernel> compile(const engine::Module& module, Observing observing, bool in_haste) {
    if (!jit || ++compiled > kKernelsPerJit) {
      compiled = 0;
      jit.reset();
      auto symbols = exec::runtime_symbols();
      auto made = jit::Jit::create(symbols);
      if (!made) return made.error();
      jit = std::move(*made);
    }
    lower::LowerOptions lower_options;
    auto lowered = lower::lower_kernel(module.ptx, "k", lower_options);
    if (!lowered) return lowered.error();
    jit::CompileOptions options;
    options.widen.bias = exec::kBias;
    options.widen.observe_memory = options.widen.observe_barriers = observing == Observing::On;
    if (in_haste) options.hasty_from = 0;
    if (const char* prefix = getenv("FUZZ_DUMP")) options.dump_prefix = prefix;
    return jit->compile(std::move(*lowered), options);
  }

  Outcome run(const KernelCase& k, Observing observing) {
    Outcome outcome;
    std::vector<std::string> texts{k.ptx};
    auto module = engine::load(texts, "kernel " + std::to_string(k.seed), memory);
    if (!module) {
      outcome.failure = module.error().to_string();
      return outcome;
    }
    // Some kernels change from hasty to good code while they run.
    auto code = compile(**module, observing, observing == Observing::On && k.seed % 4 == 0);
    if (!code) {
      outcome.failure = code.error().to_string();
    } else {
      launch(k, observing, *code, **module, outcome);
    }
    engine::unload(**module, memory);
    return outcome;
  }

  void launch(const KernelCase& k, Observing observing, const jit::CompiledKernel& code, const engine::Module& module,
              Outcome& outcome) {
    Buffer in(memory, input_of(k)), out(memory, std::vector<uint8_t>(k.out_bytes)), sums(memory, sums_of(k));
    std::vector<uint8_t> params = params_of(in.address, out.address, sums.address);
    std::vector<observe::Observer*> list;
    observe::EventSet events = observe::NoEvents;
    if (observing == Observing::On)
      for (auto& o : observers) {
        list.push_back(o.get());
        events = observe::EventSet(events | o->events());
      }
    exec::LaunchConfig config;
    config.kernel = &code;
    config.grid = k.grid;
    config.block = k.block;
    config.params = params;
    config.symbols = module.addresses;
    config.workers = observing == Observing::On ? 1 : 2;
    config.local_stride = 1024 * 1024 + 64;
    config.timeout_seconds = 20;
    config.observers = list;
    config.events = events;
    config.services = &services;
    observe::LaunchInfo info;
    info.kernel = info.kernel_demangled = "k";
    info.grid = k.grid;
    info.block = k.block;
    info.threads_per_block = k.block[0] * k.block[1] * k.block[2];
    info.warps_per_block = (info.threads_per_block + 31) / 32;
    info.sites = code.sites.get();
    for (observe::Observer* o : list) o->on_launch(info);
    exec::LaunchOutcome end = exec::run_launch(config, memory, interrupt);
    for (observe::Observer* o : list) o->on_launch_end();
    if (end.reason != exec::EndReason::None) outcome.failure = "the launch ended early: " + end.message;
    outcome.out = out.bytes();
    outcome.sums = sums.bytes();
  }
};

EngineRunner::EngineRunner() : impl_(std::make_unique<Impl>()) {}
EngineRunner::~EngineRunner() = default;
Outcome EngineRunner::run(const KernelCase& kernel, Observing observing) { return impl_->run(kernel, observing); }

Outcome interpret(const KernelCase& k, uint64_t schedule) {
  Outcome outcome;
  auto module = ptx::parse_module(k.ptx, "kernel " + std::to_string(k.seed));
  if (!module) {
    outcome.failure = module.error().to_string();
    return outcome;
  }
  std::vector<uint8_t> in = input_of(k);
  outcome.out.assign(k.out_bytes, 0);
  outcome.sums = sums_of(k);
  constexpr uint64_t out_at = kGlobalBase + 0x1000'0000, sums_at = kGlobalBase + 0x2000'0000;
  ScalarMachine machine;
  machine.map_memory(kGlobalBase, &in);
  machine.map_memory(out_at, &outcome.out);
  machine.map_memory(sums_at, &outcome.sums);
  ScalarLaunch launch;
  launch.module = module->get();
  launch.kernel = "k";
  launch.grid = k.grid;
  launch.block = k.block;
  launch.params = params_of(kGlobalBase, out_at, sums_at);
  launch.schedule = schedule;
  if (auto failure = machine.run(launch)) outcome.failure = *failure;
  return outcome;
}

std::string difference(const Outcome& a, const Outcome& b) {
  if (a.failure != b.failure) return a.failure.empty() ? b.failure : a.failure;
  auto first = [](const std::vector<uint8_t>& x, const std::vector<uint8_t>& y, const char* what) -> std::string {
    size_t count = 0, at = 0;
    for (size_t i = 0; i < x.size() && i < y.size(); ++i)
      if (x[i] != y[i] && count++ == 0) at = i;
    if (count == 0) return {};
    // The 8-byte words that begin to differ, in full.
    std::string words;
    size_t shown = 0;
    for (size_t word = at / 8 * 8; shown < 4 && word + 8 <= x.size(); word += 8) {
      uint64_t u = 0, v = 0;
      std::memcpy(&u, x.data() + word, 8);
      std::memcpy(&v, y.data() + word, 8);
      if (u == v) continue;
      char text[80];
      snprintf(text, sizeof text, "; %zu: %016llx, %016llx", word, static_cast<unsigned long long>(u),
               static_cast<unsigned long long>(v));
      words += text;
      ++shown;
    }
    return std::to_string(count) + " bytes of " + what + " differ, the first at " + std::to_string(at) + words;
  };
  std::string text = first(a.out, b.out, "the output");
  return text.empty() ? first(a.sums, b.sums, "the sums") : text;
}

} // namespace tollgate::differential
