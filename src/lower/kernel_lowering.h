// One kernel and everything it calls: PTX -> scalar LLVM IR in the lane language (simd/lane_language.h).
//
// Calls are inlined here, while lowering, so that every copy of an instruction knows its call stack: a site is an
// instruction plus the site it was called from. Recursive and indirect calls stay calls.
#pragma once

#include "base/result.h"
#include "observe/site.h"
#include "ptx/module.h"

#include <llvm/IR/Module.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tollgate::lower {

struct LowerOptions {
  bool unoptimised = false;        // the PTX was compiled at -O0: closing braces are recorded
  unsigned inline_budget = 60'000; // PTX instructions after inlining, beyond which calls stay calls
  unsigned shared_red_zone = 0;    // bytes left free behind each shared variable (checks)
};

// A site before anybody asks for it: resolved to a Place by SiteList.
struct Site {
  uint32_t function = 0;    // index into ptx::Module::functions
  uint32_t instruction = 0; // index into Function::instructions
  uint32_t called_from = 0; // site of the call this copy was inlined into; 0 for the kernel's own code
};

class SiteList : public observe::SiteTable {
public:
  explicit SiteList(std::shared_ptr<const ptx::Module> module) : module_(std::move(module)) {}
  observe::SiteId add(Site site);
  [[nodiscard]] observe::Place place(observe::SiteId site) const override;

private:
  std::shared_ptr<const ptx::Module> module_;
  std::vector<Site> sites_{1}; // 0: unknown
};

// A function that stayed a function, besides the kernel itself.
struct OutlinedFunction {
  std::string name; // in the LLVM module
  uint32_t ptx_function = 0;
};

struct SharedVariable {
  std::string name;
  uint64_t offset = 0, size = 0;
  bool reserved = false;
};

struct LoweredKernel {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  std::vector<OutlinedFunction> functions; // [0] is the kernel
  std::shared_ptr<SiteList> sites;
  std::vector<SharedVariable> shared;
  uint64_t static_shared_bytes = 0;   // with the reserved part
  uint64_t reserved_shared_bytes = 0; // of these, not the program's
  uint64_t device_shared_bytes = 0;   // what a device would take: no red zones
  uint64_t param_bytes = 0;
  std::vector<std::string> approximate; // forms whose result is within the manual's error, not exact
};

// Code pointers are small numbers that no memory access can hit: function i of the PTX module.
constexpr uint64_t kFunctionAddressBase = 0x4000;
constexpr uint64_t function_address(uint32_t index) { return kFunctionAddressBase + 16ull * index; }

// Shared memory that the system keeps for itself and for cooperative groups (sm_80 and later). A kernel that asks where
// it is gets it behind its own static variables.
constexpr uint64_t kReservedSharedBytes = 1024;
// Offset in the reserved part that a special register stands for; nullopt: no such register.
std::optional<uint64_t> reserved_shared_offset(ptx::SpecialReg reg);

Result<LoweredKernel> lower_kernel(std::shared_ptr<const ptx::Module> module, std::string_view kernel,
                                   const LowerOptions& options);

} // namespace tollgate::lower
