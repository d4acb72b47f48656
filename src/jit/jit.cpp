#include "jit/jit.h"

#include "jit/background.h"
#include "jit/code_cache.h"
#include "jit/promote_slots.h"
#include "lower/arithmetic.h"
#include "simd/inactive_source.h"
#include "simd/lane_language.h"
#include "simd/prepare.h"
#include "simd/undefined.h"

#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string_view>

namespace tollgate::jit {

using namespace llvm;
using namespace llvm::orc;

namespace {

tollgate::Error to_error(llvm::Error e, const std::string& what) {
  return {.message = what + ": " + toString(std::move(e)), .remedy = "", .file = "", .position = {}, .excerpt = ""};
}

// Options of LLVM that have no interface but the command line.
void set_option(StringRef name, StringRef value) {
  auto& options = cl::getRegisteredOptions();
  if (auto it = options.find(name); it != options.end()) it->second->addOccurrence(0, name, value);
}

bool any_barrier(const Module& m) {
  return any_of(m, [](const Function& f) {
    return any_of(instructions(f), [](const Instruction& inst) { return simd::lane_op(inst) == "barrier"; });
  });
}

void dump(const Module& m, const std::string& prefix, const char* stage) {
  if (prefix.empty()) return;
  std::error_code ec;
  raw_fd_ostream os(prefix + "." + stage + ".ll", ec, sys::fs::OF_Text);
  if (!ec) m.print(os, nullptr);
}

// Removes what widening leaves behind: slots, skipped ways, repeated loads of context fields.
void optimise(Module& m, TargetMachine& target) {
  LoopAnalysisManager lam;
  FunctionAnalysisManager fam;
  CGSCCAnalysisManager cgam;
  ModuleAnalysisManager mam;
  PassBuilder pb(&target);
  pb.registerModuleAnalyses(mam);
  pb.registerCGSCCAnalyses(cgam);
  pb.registerFunctionAnalyses(fam);
  pb.registerLoopAnalyses(lam);
  pb.crossRegisterProxies(lam, fam, cgam, mam);
  FunctionPassManager fpm;
  fpm.addPass(SROAPass(SROAOptions::PreserveCFG));
  fpm.addPass(SimplifyCFGPass());
  fpm.addPass(EarlyCSEPass(true));
  fpm.addPass(InstCombinePass());
  fpm.addPass(SimplifyCFGPass());
  fpm.addPass(EarlyCSEPass(true));
  fpm.addPass(ADCEPass());
  for (Function& f : m) {
    if (f.isDeclaration()) continue;
    promote_slots(f);
    fpm.run(f, fam);
  }
}

class JitImpl : public Jit {
public:
  static Result<std::unique_ptr<Jit>> make(std::span<const RuntimeSymbol> symbols) {
    static std::once_flag once;
    std::call_once(once, [] {
      InitializeNativeTarget();
      InitializeNativeTargetAsmPrinter();
      // Machine schedulers are quadratic in the size of a block, and ours are large: they took half of all compile
      // time and gained nothing that could be measured.
      set_option("enable-misched", "false");
      set_option("enable-post-misched", "false");
      set_option("disable-post-ra", "true");
    });
    auto self = std::make_unique<JitImpl>();
    auto builder = JITTargetMachineBuilder::detectHost();
    if (!builder) return to_error(builder.takeError(), "cannot describe this processor to LLVM");
    // Helpers lie anywhere in the address space.
    builder->setCodeModel(CodeModel::Large);
    // 512-bit registers where the processor has them: a warp is two of them.
    builder->addFeatures({"-prefer-256-bit"});
    if (const char* simd = getenv("TOLLGATE_SIMD"); simd && std::string_view(simd) == "avx2") {
      builder->setCPU("x86-64-v3"); // AVX2 and FMA
      builder->getFeatures() = SubtargetFeatures();
    }
    auto target = builder->createTargetMachine();
    if (!target) return to_error(target.takeError(), "cannot generate code for this processor");
    self->target_ = std::move(*target);
    self->builder_ = *builder;
    self->mask_registers_ = self->target_->getMCSubtargetInfo()->checkFeatures("+avx512bw,+avx512vl");
    auto jit = LLJITBuilder().setJITTargetMachineBuilder(*builder).create();
    if (!jit) return to_error(jit.takeError(), "cannot start LLVM's JIT");
    self->jit_ = std::move(*jit);
    SymbolMap map;
    for (const RuntimeSymbol& s : symbols)
      map[self->jit_->mangleAndIntern(s.name)] = {ExecutorAddr::fromPtr(s.address),
                                                  JITSymbolFlags::Exported | JITSymbolFlags::Callable};
    // What LLVM itself may call: memory functions and the C math library.
    auto process = DynamicLibrarySearchGenerator::GetForCurrentProcess(self->jit_->getDataLayout().getGlobalPrefix());
    if (process) self->jit_->getMainJITDylib().addGenerator(std::move(*process));
    if (auto e = self->jit_->getMainJITDylib().define(absoluteSymbols(std::move(map))))
      return to_error(std::move(e), "cannot define the runtime's symbols");
    return std::unique_ptr<Jit>(std::move(self));
  }

  Result<CompiledKernel> compile(lower::LoweredKernel kernel, const CompileOptions& options) override {
    std::lock_guard lock(mutex_); // one TargetMachine
    bool dumping = !options.dump_prefix.empty();
    std::string key = dumping || options.source.empty() || build_id_.empty() ? "" : cache_key(options);
    std::optional<CachedCode> code;
    if (!key.empty()) code = cache_.load(key);
    if (code && code->functions.size() != kernel.functions.size()) code.reset();
    if (!code) {
      auto generated = widen(kernel, options);
      if (!generated) return generated.error();
      code = std::move(*generated);
      const bool in_haste = !dumping && size_of(*kernel.module) >= options.hasty_from;
      auto object = in_haste ? emit_in_haste(*kernel.module) : emit(*kernel.module, *target_);
      if (!object) return object.error();
      code->object = std::move(*object);
      if (in_haste) {
        auto out = link(*code, kernel);
        if (out) improve_later(std::move(kernel), std::move(*code), *out, key);
        return out;
      }
      if (!key.empty()) cache_.store(key, *code);
    }
    return link(*code, kernel);
  }

  void finish() override { background_.finish(); }

private:
  // Each kernel lives in a library of its own: names may repeat between modules.
  Result<std::vector<StepFunction>> load(const CachedCode& code) {
    auto library = jit_->createJITDylib("kernel." + std::to_string(count_++));
    if (!library) return to_error(library.takeError(), "cannot create a JIT library");
    library->addToLinkOrder(jit_->getMainJITDylib());
    if (auto e = jit_->addObjectFile(*library, MemoryBuffer::getMemBufferCopy(code.object, "kernel")))
      return to_error(std::move(e), "cannot add code to the JIT");
    std::vector<StepFunction> steps;
    for (const CachedFunction& f : code.functions) {
      auto address = jit_->lookup(*library, f.name);
      if (!address) return to_error(address.takeError(), "cannot link generated code");
      steps.push_back(address->toPtr<StepFunction>());
    }
    return steps;
  }

  Result<CompiledKernel> link(const CachedCode& code, const lower::LoweredKernel& kernel) {
    auto steps = load(code);
    if (!steps) return steps.error();
    CompiledKernel out;
    for (size_t i = 0; i < code.functions.size(); ++i) {
      const CachedFunction& f = code.functions[i];
      out.functions.push_back({StepCode((*steps)[i]), f.frame_bytes, f.local_bytes, f.has_stops, f.whole_stops});
      out.ptx_function.push_back(kernel.functions[i].ptx_function);
    }
    out.sites = kernel.sites;
    out.shared = kernel.shared;
    out.static_shared_bytes = kernel.static_shared_bytes;
    out.reserved_shared_bytes = kernel.reserved_shared_bytes;
    out.device_shared_bytes = kernel.device_shared_bytes;
    out.local_bytes = out.functions[0].local_bytes;
    out.approximate = kernel.approximate;
    return out;
  }

  // The module is the background's from here on; its LLVMContext is no other kernel's.
  void improve_later(lower::LoweredKernel kernel, CachedCode code, const CompiledKernel& running, std::string key) {
    if (!background_target_) {
      auto target = builder_->createTargetMachine();
      if (!target) return consumeError(target.takeError()); // the hasty code does
      background_target_ = std::move(*target);
      emit_nothing(*background_target_);
    }
    auto work = std::make_shared<lower::LoweredKernel>(std::move(kernel));
    std::vector<StepCode> cells;
    for (const CompiledFunction& f : running.functions) cells.push_back(f.step);
    background_.add([this, work, code = std::move(code), cells, key = std::move(key)]() mutable {
      auto object = emit(*work->module, *background_target_);
      if (!object) return; // the hasty code does
      code.object = std::move(*object);
      if (!key.empty()) cache_.store(key, code);
      if (auto steps = load(code))
        for (size_t i = 0; i < cells.size(); ++i) cells[i].replace((*steps)[i]);
    });
  }

  static unsigned size_of(const Module& m) {
    unsigned instructions = 0;
    for (const Function& f : m) instructions += f.getInstructionCount();
    return instructions;
  }

  Result<std::string> emit_in_haste(const Module& m) {
    if (!hasty_target_) {
      JITTargetMachineBuilder builder = *builder_;
      builder.setCodeGenOptLevel(CodeGenOptLevel::None);
      auto target = builder.createTargetMachine();
      if (!target) return to_error(target.takeError(), "cannot generate code for this processor");
      hasty_target_ = std::move(*target);
    }
    return emit(*CloneModule(m), *hasty_target_);
  }

  // Makes the statics of LLVM's code generator before the exit handler of background.h.
  static void emit_nothing(TargetMachine& target) {
    LLVMContext context;
    Module m("nothing", context);
    m.setDataLayout(target.createDataLayout());
    auto* f = Function::Create(FunctionType::get(Type::getVoidTy(context), false), Function::ExternalLinkage, "f", m);
    ReturnInst::Create(context, BasicBlock::Create(context, "entry", f));
    (void)emit(m, target);
  }

  static Result<std::string> emit(Module& m, TargetMachine& target) {
    auto object = SimpleCompiler(target)(m);
    if (!object) return to_error(object.takeError(), "cannot generate code");
    return (*object)->getBuffer().str();
  }

  // Everything the code depends on besides the PTX and the lowering.
  std::string cache_key(const CompileOptions& options) const {
    const simd::WidenOptions& w = options.widen;
    std::string text = build_id_ + '\0' + target_->getTargetCPU().str() + '\0' +
                       target_->getTargetFeatureString().str() + '\0' + options.source;
    for (uint64_t v : {w.bias, uint64_t(w.observe_memory), uint64_t(w.note_accesses), uint64_t(w.observe_barriers),
                       uint64_t(w.observe_sync), w.written_bias, uint64_t(w.observe_undefined), uint64_t(w.row),
                       uint64_t(w.spin_budget), uint64_t(w.walk_budget)})
      text += '\0' + std::to_string(v);
    return digest(text);
  }

  // Lane code to the step functions' optimised IR.
  Result<CachedCode> widen(lower::LoweredKernel& kernel, const CompileOptions& options) {
    Module& m = *kernel.module;
    m.setDataLayout(jit_->getDataLayout());
    m.setTargetTriple(target_->getTargetTriple().str());
    CachedCode out;
    const bool has_barriers = any_barrier(m);
    for (size_t i = 0; i < kernel.functions.size(); ++i) {
      Function* f = m.getFunction(kernel.functions[i].name);
      simd::PrepareResult prepared = simd::prepare(*f);
      lower::drop_unseen_nan_selects(*f);
      if (i == 0) dump(m, options.dump_prefix, "lane");
      simd::WidenOptions widen = options.widen;
      widen.is_kernel = i == 0;
      widen.mask_registers = mask_registers_;
      widen.observe_barriers = widen.observe_barriers && has_barriers; // without any nobody asks who left
      if (simd::kHooks && widen.observe_sync) simd::trace_inactive_sources(*f);
      if (simd::kHooks && widen.observe_undefined) simd::trace_undefined(*f);
      simd::WidenedFunction w = simd::widen(*f, widen);
      out.functions.push_back({w.name, w.frame_bytes, prepared.local_bytes, w.has_stops, std::move(w.whole_stops)});
    }
    for (Function& f : make_early_inc_range(m)) {
      if (f.isDeclaration() && f.use_empty())
        f.eraseFromParent();
      else
        f.addFnAttr("target-cpu", target_->getTargetCPU()),
            f.addFnAttr("target-features", target_->getTargetFeatureString());
    }
    dump(m, options.dump_prefix, "wide");
    std::string problem;
    raw_string_ostream os(problem);
    if (verifyModule(m, &os))
      return tollgate::Error{.message = "internal error: widening made invalid code: " + problem,
                             .remedy = "",
                             .file = "",
                             .position = {},
                             .excerpt = ""};
    optimise(m, *target_);
    dump(m, options.dump_prefix, "opt");
    return out;
  }

  std::mutex mutex_;
  std::optional<JITTargetMachineBuilder> builder_;
  std::unique_ptr<TargetMachine> target_;
  std::unique_ptr<TargetMachine> hasty_target_, background_target_; // made for the first large kernel
  bool mask_registers_ = false;
  std::unique_ptr<LLJIT> jit_;
  CodeCache cache_ = CodeCache::from_environment();
  std::string build_id_ = build_id();
  std::atomic<unsigned> count_ = 0;
  Background background_;
};

} // namespace

Result<std::unique_ptr<Jit>> Jit::create(std::span<const RuntimeSymbol> symbols) { return JitImpl::make(symbols); }

} // namespace tollgate::jit
