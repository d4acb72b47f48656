// Scalar lane code of one kernel -> machine code: prepare, widen, optimise, generate, link.
#pragma once

#include "base/result.h"
#include "lower/kernel_lowering.h"
#include "simd/warp_context.h"
#include "simd/widen.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tollgate::jit {

// Returns 0: see the Groups left; else the whole step waits at a barrier of the block, and this is its resume label.
using StepFunction = uint32_t (*)(simd::WarpContext*, uint32_t label, uint32_t mask);

// A function that generated code may call: helpers of exec/ ("tgh_..."), rtlib ("tgr_...", "tgv_...").
struct RuntimeSymbol {
  std::string name;
  void* address = nullptr;
};

struct CompiledFunction {
  StepFunction step = nullptr;
  uint32_t frame_bytes = 0;
  uint64_t local_bytes = 0;
  bool has_stops = false;
  std::vector<simd::WholeStop> whole_stops;
};

struct CompiledKernel {
  std::vector<CompiledFunction> functions; // as LoweredKernel::functions; [0] is the kernel
  std::vector<uint32_t> ptx_function;      // PTX function index of each
  std::shared_ptr<lower::SiteList> sites;
  std::vector<lower::SharedVariable> shared;
  uint64_t static_shared_bytes = 0; // with the reserved part
  uint64_t reserved_shared_bytes = 0;
  uint64_t device_shared_bytes = 0; // without red zones
  uint64_t local_bytes = 0; // of the kernel itself
  std::vector<std::string> approximate;
};

struct CompileOptions {
  simd::WidenOptions widen;
  std::string source;      // digest of what the kernel was lowered from and how; empty: not for the code cache
  std::string dump_prefix; // write <prefix>.lane.ll, .wide.ll, .opt.ll; empty: no
};

class Jit {
public:
  static Result<std::unique_ptr<Jit>> create(std::span<const RuntimeSymbol> symbols);
  virtual ~Jit() = default;
  virtual Result<CompiledKernel> compile(lower::LoweredKernel kernel, const CompileOptions& options) = 0;
};

} // namespace tollgate::jit
