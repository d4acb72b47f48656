// PTX text -> engine -> memory contents, as these tests need it: one module, kernels of two pointers (in, out).
#pragma once

#include "engine/engine.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tollgate::test {

class LoadedModule {
public:
  LoadedModule(const std::string& ptx, std::string_view name); // error() tells what went wrong
  ~LoadedModule();
  LoadedModule(const LoadedModule&) = delete;
  LoadedModule& operator=(const LoadedModule&) = delete;

  [[nodiscard]] const std::string& error() const { return error_; }
  // Generates code; empty where it worked.
  std::string compile(std::string_view kernel);
  // Runs kernel(in, out) and fills `out`; the message is empty on success.
  engine::LaunchResult run(std::string_view kernel, unsigned blocks, unsigned threads, const std::vector<uint64_t>& in,
                           std::vector<uint64_t>& out);

private:
  engine::Module* module_ = nullptr;
  std::string error_;
};

// The engine of these tests: sm_90, one worker.
engine::Engine& test_engine();

} // namespace tollgate::test
