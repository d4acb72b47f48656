#include "lowered_instruction.h"

#include "instruction_text.h"
#include "lower/arithmetic.h"
#include "rtlib/rtlib.h"

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

#include <map>
#include <stdexcept>

namespace tollgate::test {
namespace {

using llvm::Value;
using ptx::Operand;
using ptx::Type;

[[noreturn]] void give_up(llvm::Error error) { throw std::runtime_error(llvm::toString(std::move(error))); }

class SlotBuilder final : public lower::LaneBuilder {
public:
  SlotBuilder(llvm::LLVMContext& context, llvm::Function& function) : LaneBuilder(context) {
    ir_.SetInsertPoint(llvm::BasicBlock::Create(context, "", &function));
    in_ = function.getArg(0);
    out_ = function.getArg(1);
  }

  Value* use(const Operand& operand, Type type) override {
    llvm::Type* to = type_of(type);
    llvm::Type* bits = ir_.getIntNTy(to->getPrimitiveSizeInBits());
    if (operand.kind == Operand::Kind::Immediate)
      return ir_.CreateBitCast(llvm::ConstantInt::get(bits, operand.bits), to);
    Value* slot = load(static_cast<unsigned>(operand.reg));
    Value* narrowed = bits->getIntegerBitWidth() > 64 ? wide(slot, operand.reg) : ir_.CreateTrunc(slot, bits);
    if (operand.negated) narrowed = ir_.CreateNot(narrowed);
    return ir_.CreateBitCast(narrowed, to);
  }
  void def(const Operand& operand, Type type, Value* value) override {
    if (operand.kind == Operand::Kind::Sink) return;
    if (value->getType() != type_of(type)) throw std::runtime_error("def: value of the wrong type");
    store(static_cast<unsigned>(operand.reg), value);
  }
  void def_pair(const Operand& operand, Value* i1) override {
    if (operand.pair >= 0) store(static_cast<unsigned>(operand.pair), i1);
  }
  Value* carry() override { return ir_.CreateTrunc(load(carry_slot), ir_.getInt1Ty()); }
  void set_carry(Value* i1) override { store(carry_slot, i1); }
  void fail(const ptx::Instruction&, std::string message) override { error = std::move(message); }

  static constexpr unsigned carry_slot = 7;
  std::string error;

private:
  Value* load(unsigned slot) {
    return ir_.CreateLoad(ir_.getInt64Ty(), ir_.CreateConstGEP1_32(ir_.getInt64Ty(), in_, slot));
  }
  // A 128-bit register takes two slots.
  Value* wide(Value* low, int reg) {
    Value* high = ir_.CreateZExt(load(static_cast<unsigned>(reg) + 1), ir_.getInt128Ty());
    return ir_.CreateOr(ir_.CreateZExt(low, ir_.getInt128Ty()), ir_.CreateShl(high, 64));
  }
  void store(unsigned slot, Value* value) {
    const unsigned width = value->getType()->getPrimitiveSizeInBits();
    Value* bits = ir_.CreateBitCast(value, ir_.getIntNTy(width));
    auto put = [&](unsigned at, Value* word) {
      ir_.CreateStore(ir_.CreateZExtOrTrunc(word, ir_.getInt64Ty()),
                      ir_.CreateConstGEP1_32(ir_.getInt64Ty(), out_, at));
    };
    put(slot, bits);
    if (width == 128) put(slot + 1, ir_.CreateLShr(bits, 64));
  }

  Value *in_, *out_;
};

llvm::orc::LLJIT& jit() {
  static std::unique_ptr<llvm::orc::LLJIT> instance = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    auto created = llvm::orc::LLJITBuilder().create();
    if (!created) give_up(created.takeError());
    llvm::orc::SymbolMap symbols;
    for (const rtlib::Function& function : rtlib::functions())
      symbols[(*created)->mangleAndIntern("tg.rt." + std::string(function.name))] = {
          llvm::orc::ExecutorAddr::fromPtr(function.scalar), llvm::JITSymbolFlags::Exported};
    if (auto error = (*created)->getMainJITDylib().define(llvm::orc::absoluteSymbols(symbols)))
      give_up(std::move(error));
    return std::move(*created);
  }();
  return *instance;
}

// The scalar clean-up that a kernel gets before it is widened, so that no fold of LLVM's changes a result.
void optimise(llvm::Module& module) {
  llvm::PassBuilder builder;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O1).run(module, modules);
}

} // namespace

struct LoweredInstruction::Code {
  void (*run)(const uint64_t*, uint64_t*) = nullptr;
};

LoweredInstruction::LoweredInstruction(std::string_view text) : code_(std::make_unique<Code>()) {
  static unsigned count = 0;
  const std::string name = "test" + std::to_string(count++);
  const ParsedInstruction parsed = parse_instruction(text);
  const lower::LowerFn lower = lower::find_arithmetic(parsed.form.name);
  if (!lower) throw std::runtime_error("no lowering for " + std::string(text));

  auto context = std::make_unique<llvm::LLVMContext>();
  auto module = std::make_unique<llvm::Module>(name, *context);
  module->setDataLayout(jit().getDataLayout());
  auto* pointer = llvm::PointerType::get(*context, 0);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(*context), {pointer, pointer}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, *module);
  SlotBuilder builder(*context, *function);
  ptx::Instruction instruction = parsed.instruction;
  instruction.form = &parsed.form;
  lower(builder, instruction);
  builder.ir().CreateRetVoid();
  error_ = builder.error;
  if (!error_.empty()) return;
  if (llvm::verifyFunction(*function, &llvm::errs())) throw std::runtime_error("invalid IR for " + std::string(text));
  optimise(*module);
  llvm::raw_string_ostream(ir_) << *module;
  if (auto error = jit().addIRModule(llvm::orc::ThreadSafeModule(std::move(module), std::move(context))))
    give_up(std::move(error));
  auto address = jit().lookup(name);
  if (!address) give_up(address.takeError());
  code_->run = address->toPtr<void (*)(const uint64_t*, uint64_t*)>();
}

LoweredInstruction::LoweredInstruction(LoweredInstruction&&) noexcept = default;
LoweredInstruction::~LoweredInstruction() = default;

std::array<uint64_t, 8> LoweredInstruction::all(std::initializer_list<uint64_t> sources) const {
  std::array<uint64_t, 8> in{}, out{};
  std::copy(sources.begin(), sources.end(), in.begin());
  if (!code_->run) throw std::runtime_error("not lowered: " + error_);
  code_->run(in.data(), out.data());
  return out;
}

uint64_t LoweredInstruction::operator()(std::initializer_list<uint64_t> sources) const { return all(sources)[0]; }

} // namespace tollgate::test
