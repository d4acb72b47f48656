#include "engine_run.h"

#include "engine/config.h"

#include <cstdlib>
#include <cstring>

namespace tollgate::test {

engine::Engine& test_engine() {
  static engine::Engine& instance = []() -> engine::Engine& {
    engine::Config config;
    config.sm = 90;
    config.workers = 1;
    config.timeout_seconds = 60;
    setenv(engine::config_variable, engine::to_json(config).c_str(), 1);
    return engine::Engine::instance();
  }();
  return instance;
}

LoadedModule::LoadedModule(const std::string& ptx, std::string_view name) {
  auto loaded = test_engine().load_module({&ptx, 1}, name);
  if (loaded)
    module_ = *loaded;
  else
    error_ = loaded.error().to_string();
}

LoadedModule::~LoadedModule() {
  if (module_) test_engine().unload_module(module_);
}

std::string LoadedModule::compile(std::string_view kernel) {
  if (!error_.empty()) return error_;
  auto found = test_engine().kernel(module_, kernel);
  if (!found) return found.error().to_string();
  auto prepared = test_engine().prepare(*found, {32, 1, 1});
  return prepared.message;
}

engine::LaunchResult LoadedModule::run(std::string_view kernel, unsigned blocks, unsigned threads,
                                       const std::vector<uint64_t>& in, std::vector<uint64_t>& out) {
  auto failed = [](std::string message) {
    return engine::LaunchResult{engine::Status::InvalidImage, std::move(message)};
  };
  if (!error_.empty()) return failed(error_);
  auto& engine = test_engine();
  auto found = engine.kernel(module_, kernel);
  if (!found) return failed(found.error().to_string());
  const uint64_t in_bytes = std::max<size_t>(in.size(), 1) * 8, out_bytes = out.size() * 8;
  const uint64_t in_address = engine.allocate(in_bytes, engine::MemoryKind::Device, "");
  const uint64_t out_address = engine.allocate(out_bytes, engine::MemoryKind::Device, "");
  if (!in.empty()) std::memcpy(engine.host_view(in_address, in_bytes), in.data(), in.size() * 8);
  std::memcpy(engine.host_view(out_address, out_bytes), out.data(), out_bytes);
  engine::LaunchRequest request;
  request.kernel = *found;
  request.grid = {blocks, 1, 1};
  request.block = {threads, 1, 1};
  if (const auto& cluster = engine.info(*found).cluster; cluster[0] != 0) {
    request.cluster = cluster;
    request.explicit_cluster = true;
  }
  request.params.resize(engine.info(*found).param_bytes);
  std::memcpy(request.params.data(), &in_address, 8);
  std::memcpy(request.params.data() + 8, &out_address, 8);
  engine::LaunchResult result = engine.run(request);
  std::memcpy(out.data(), engine.host_view(out_address, out_bytes), out_bytes);
  engine.release(in_address);
  engine.release(out_address);
  return result;
}

} // namespace tollgate::test
