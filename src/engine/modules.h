// Loaded PTX modules: their variables live in device memory, their kernels are compiled at first launch.
#pragma once

#include "engine/engine.h"
#include "exec/memory.h"
#include "jit/jit.h"
#include "ptx/module.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace tollgate::engine {

class Kernel {
public:
  KernelInfo info;
  Module* module = nullptr;
  std::string demangled;
  std::mutex mutex;                                // guards compilation
  std::shared_ptr<const jit::CompiledKernel> code; // set at first launch
  std::shared_ptr<const jit::CompiledKernel> bare; // without hooks, for launches of other shards
  std::string failure;                             // why it cannot be compiled
  bool unsupported = false;                        // ... because of a form outside the model
  uint64_t launches = 0, threads = 0;              // for the report
};

class Module {
public:
  std::string name;
  std::shared_ptr<const ptx::Module> ptx;
  std::string digest;              // of the PTX text
  std::vector<uint64_t> addresses; // device address of each variable of ptx, 0 for shared ones
  std::map<std::string, std::unique_ptr<Kernel>, std::less<>> kernels;
};

// Parses (and joins) the texts and gives every variable its memory.
Result<std::unique_ptr<Module>> load(std::span<const std::string> texts, std::string_view name,
                                     exec::DeviceMemory& memory);
void unload(Module& module, exec::DeviceMemory& memory);

} // namespace tollgate::engine
