// An engine for testing the runtime without one: device memory is host memory that only looks like a device address,
// kernels are "run" by a function that knows a few names.
#include "fake_engine.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <regex>
#include <sys/mman.h>
#include <thread>

namespace tollgate::engine {

class Module {
public:
  std::string text;
  std::map<std::string, std::unique_ptr<Kernel>> kernels;
  std::map<std::string, VariableInfo> variables;
};

class Kernel {
public:
  KernelInfo info;
};

} // namespace tollgate::engine

namespace tollgate::fake {
namespace {

using namespace tollgate::engine;

// Device addresses are host addresses with this bit flipped: the program faults if it uses one.
constexpr uint64_t window = uint64_t{1} << 46;

struct Allocation {
  uint64_t size = 0;
  uint8_t* host = nullptr;
  MemoryKind kind = MemoryKind::Device;
  bool owned = true;
};

unsigned bytes_of_type(const std::string& type) {
  const unsigned bits = static_cast<unsigned>(std::atoi(type.c_str() + 1));
  return bits / 8;
}

class FakeEngine final : public Engine {
public:
  FakeEngine() {
    if (const char* sm = std::getenv("TOLLGATE_FAKE_SM")) config_.sm = static_cast<unsigned>(std::atoi(sm));
  }
  const Config& config() const override { return config_; }

  Result<Module*> load_module(std::span<const std::string> ptx, std::string_view) override {
    const std::lock_guard lock(mutex_);
    auto module = std::make_unique<Module>();
    for (const std::string& text : ptx) module->text += text;
    read_entries(*module);
    read_variables(*module);
    modules_.push_back(std::move(module));
    return modules_.back().get();
  }
  void unload_module(Module*) override {}

  Result<Kernel*> kernel(Module* module, std::string_view name) override {
    const auto it = module->kernels.find(std::string(name));
    if (it != module->kernels.end()) return it->second.get();
    Error error;
    error.message = "no kernel " + std::string(name);
    return error;
  }
  const KernelInfo& info(const Kernel* kernel) const override { return kernel->info; }
  Result<VariableInfo> variable(Module* module, std::string_view name) override {
    const auto it = module->variables.find(std::string(name));
    if (it != module->variables.end()) return it->second;
    Error error;
    error.message = "no variable " + std::string(name);
    return error;
  }

  uint64_t allocate(uint64_t bytes, MemoryKind kind, std::string_view) override {
    if (bytes > (uint64_t{1} << 32)) return 0;
    auto* host = static_cast<uint8_t*>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
    const std::lock_guard lock(mutex_);
    const uint64_t address = reinterpret_cast<uint64_t>(host) ^ (kind == MemoryKind::Device ? window : 0);
    live_[address] = {bytes, host, kind, true};
    return address;
  }
  bool release(uint64_t address) override {
    const std::lock_guard lock(mutex_);
    const auto it = live_.find(address);
    if (it == live_.end()) return false;
    std::free(it->second.host);
    live_.erase(it);
    return true;
  }
  uint64_t map_host(void* host, uint64_t bytes) override {
    const std::lock_guard lock(mutex_);
    const auto address = reinterpret_cast<uint64_t>(host);
    live_[address] = {bytes, static_cast<uint8_t*>(host), MemoryKind::PinnedHost, false};
    return address;
  }
  bool unmap_host(void* host) override {
    const std::lock_guard lock(mutex_);
    return live_.erase(reinterpret_cast<uint64_t>(host)) == 1;
  }
  void* host_view(uint64_t address, uint64_t bytes) override {
    const std::lock_guard lock(mutex_);
    const auto it = containing(address);
    if (it == live_.end() || address + bytes > it->first + it->second.size) return nullptr;
    return it->second.host + (address - it->first);
  }
  PointerInfo pointer_info(const void* pointer) const override {
    const std::lock_guard lock(mutex_);
    const auto address = reinterpret_cast<uint64_t>(pointer);
    const auto it = containing(address);
    if (it == live_.end()) return {};
    PointerInfo info;
    const uint64_t offset = address - it->first;
    info.kind = it->second.kind == MemoryKind::Device    ? PointerInfo::Kind::Device
                : it->second.kind == MemoryKind::Managed ? PointerInfo::Kind::Managed
                                                         : PointerInfo::Kind::PinnedHost;
    info.device = it->first + offset;
    info.host = it->second.kind == MemoryKind::Device ? nullptr : it->second.host + offset;
    info.base = it->first;
    info.size = it->second.size;
    return info;
  }
  void memory_usage(uint64_t& free_bytes, uint64_t& total_bytes) const override {
    free_bytes = total_bytes = uint64_t{4} << 30;
  }

  unsigned worker_threads() const override { return 0; }
  LaunchResult run(const LaunchRequest& request) override {
    const std::string& name = request.kernel->info.name;
    if (std::getenv("TOLLGATE_FAKE_TRACE") != nullptr) trace(request);
    return run_fake_kernel(*this, name, request);
  }
  LaunchResult prepare(Kernel*, const std::array<uint32_t, 3>&) override { return {}; }
  unsigned max_active_blocks(const Kernel*, unsigned threads, uint64_t) const override {
    return threads == 0 || threads > 1024 ? 0 : 2048 / threads;
  }
  void reset_variables() override {}
  void flush_printf() override { std::fflush(stdout); }
  void report(observe::Finding finding) override {
    std::fprintf(stderr, "%s: %s\n", finding.rule.c_str(), finding.message.c_str());
  }
  void finish() override {
    if (std::getenv("TOLLGATE_FAKE_TRACE") != nullptr) std::fprintf(stderr, "finished\n");
  }

private:
  using Live = std::map<uint64_t, Allocation>;

  Live::const_iterator containing(uint64_t address) const {
    auto it = live_.upper_bound(address);
    if (it == live_.begin()) return live_.end();
    --it;
    return address < it->first + it->second.size ? it : live_.end();
  }

  static void trace(const LaunchRequest& request) {
    std::fprintf(stderr, "run %s grid %u,%u,%u block %u,%u,%u shared %llu params", request.kernel->info.name.c_str(),
                 request.grid[0], request.grid[1], request.grid[2], request.block[0], request.block[1],
                 request.block[2], static_cast<unsigned long long>(request.dynamic_shared_bytes));
    for (const uint8_t byte : request.params) std::fprintf(stderr, " %02x", byte);
    std::fprintf(stderr, "\n");
  }

  static void read_entries(Module& module) {
    static const std::regex entry(R"(\.entry\s+([\w$]+)\s*\(([^)]*)\))");
    static const std::regex param(R"(\.param\s+(?:\.align\s+(\d+)\s+)?\.(\w+)\s+[\w$]+(?:\[(\d+)\])?)");
    for (std::sregex_iterator it(module.text.begin(), module.text.end(), entry), end; it != end; ++it) {
      auto kernel = std::make_unique<Kernel>();
      KernelInfo& info = kernel->info;
      info.name = (*it)[1];
      info.target_sm = 80;
      const std::string list = (*it)[2];
      for (std::sregex_iterator p(list.begin(), list.end(), param); p != end; ++p) {
        const unsigned element = bytes_of_type((*p)[2]);
        const unsigned size = (*p)[3].matched ? element * static_cast<unsigned>(std::stoi((*p)[3])) : element;
        const unsigned align = (*p)[1].matched ? static_cast<unsigned>(std::stoi((*p)[1])) : element;
        const unsigned offset = (info.param_bytes + align - 1) / align * align;
        info.params.push_back({offset, size, align});
        info.param_bytes = offset + size;
      }
      module.kernels[info.name] = std::move(kernel);
    }
  }

  void read_variables(Module& module) {
    static const std::regex variable(
        R"(\.(global|const)\s+(\.attribute\(\.managed\)\s+)?(?:\.align\s+\d+\s+)?\.(\w+)\s+([\w$]+)(?:\[(\d+)\])?)");
    for (std::sregex_iterator it(module.text.begin(), module.text.end(), variable), end; it != end; ++it) {
      const unsigned element = bytes_of_type((*it)[3]);
      const uint64_t size = (*it)[5].matched ? uint64_t{element} * std::stoul((*it)[5]) : element;
      const bool managed = (*it)[2].matched;
      const auto kind = managed ? MemoryKind::Managed : MemoryKind::Device;
      auto* host = static_cast<uint8_t*>(std::aligned_alloc(256, (size + 255) / 256 * 256));
      std::memset(host, 0, size);
      const uint64_t address = reinterpret_cast<uint64_t>(host) ^ (managed ? 0 : window);
      live_[address] = {size, host, kind, true};
      module.variables[(*it)[4]] = {address, size, managed};
    }
  }

  Config config_;
  mutable std::mutex mutex_;
  Live live_;
  std::vector<std::unique_ptr<Module>> modules_;
};

} // namespace
} // namespace tollgate::fake

tollgate::engine::Engine& tollgate::engine::Engine::instance() {
  static auto* engine = new fake::FakeEngine;
  return *engine;
}
