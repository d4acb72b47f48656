// Scalar lane code of one kernel -> machine code: prepare, widen, optimise, generate, link.
#pragma once

#include "base/result.h"
#include "lower/kernel_lowering.h"
#include "simd/warp_context.h"
#include "simd/widen.h"

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tollgate::jit {

// How the last warp of a step ended, and how many warps ran before it.
struct StepResult {
  // 0: see the Groups left; else all its lanes wait at a barrier of the block to go on there, or gave way (kGaveWay).
  uint32_t label = 0;
  uint32_t ran = 0;
};

// Runs the lanes in `mask` of a warp from `label` on. If it then stops as a whole, or has left, the warps
// that follow it in memory run as well, at most `followers` and each from the label and mask of its first Group, until
// one ends differently from the one before it. Warps before the last have theirs in the label of their first Group.
using StepFunction = StepResult (*)(simd::WarpContext*, uint32_t label, uint32_t mask, uint32_t followers);

// A function that generated code may call: helpers of exec/ ("tgh_..."), rtlib ("tgr_...", "tgv_...").
struct RuntimeSymbol {
  std::string name;
  void* address = nullptr;
};

// Where the code of a function is. Code that was generated in haste is replaced by better code while kernels run: both
// leave the same Groups and frames, so that any step may be the first in the new code.
class StepCode {
public:
  StepCode(StepFunction code = nullptr) : code_(std::make_shared<std::atomic<StepFunction>>(code)) {}
  [[nodiscard]] StepFunction get() const { return code_->load(std::memory_order_acquire); }
  void replace(StepFunction code) const { code_->store(code, std::memory_order_release); }

private:
  std::shared_ptr<std::atomic<StepFunction>> code_;
};

struct CompiledFunction {
  StepCode step;
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
  uint64_t local_bytes = 0;         // of the kernel itself
  std::vector<std::string> approximate;
};

struct CompileOptions {
  simd::WidenOptions widen;
  std::string source;      // digest of what the kernel was lowered from and how; empty: not for the code cache
  std::string dump_prefix; // write <prefix>.lane.ll, .wide.ll, .opt.ll; empty: no
  // Instructions of LLVM's from which on a kernel starts in code generated in haste. Generating good code for 20,000 (a
  // kernel of 5,000 PTX instructions) takes seconds, hasty code a third of that.
  unsigned hasty_from = 12000;
};

class Jit {
public:
  static Result<std::unique_ptr<Jit>> create(std::span<const RuntimeSymbol> symbols);
  virtual ~Jit() = default;
  virtual Result<CompiledKernel> compile(lower::LoweredKernel kernel, const CompileOptions& options) = 0;
  // Waits for code that is generated in the background: it is also what the cache keeps.
  virtual void finish() = 0;
};

} // namespace tollgate::jit
