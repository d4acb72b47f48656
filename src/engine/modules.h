// Loaded PTX modules: their variables live in device memory, their kernels are compiled at first launch.
#pragma once

#include "engine/engine.h"
#include "exec/memory.h"
#include "jit/jit.h"
#include "ptx/module.h"

#include <atomic>
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
  std::mutex mutex; // guards compilation
  // By whether hooks are in it (not for launches of other shards) and by WidenOptions::row; made at first launch.
  std::map<std::pair<bool, unsigned>, std::shared_ptr<const jit::CompiledKernel>> code;
  std::string failure;                   // why it cannot be compiled
  bool unsupported = false;              // ... because of a form outside the model
  std::atomic<bool> approximate = false; // its code is
  uint64_t launches = 0, threads = 0;    // for the report
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
// Gives the variables the values that they begin with.
void initialise(const Module& module, exec::DeviceMemory& memory);
void unload(Module& module, exec::DeviceMemory& memory);

} // namespace tollgate::engine
