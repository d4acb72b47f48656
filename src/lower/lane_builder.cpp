#include "lower/lane_builder.h"

#include <llvm/IR/Attributes.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/ModRef.h>

#include <string>

namespace tollgate::lower {

llvm::Type* LaneBuilder::type_of(ptx::Type type) {
  using ptx::Type;
  switch (type) {
  case Type::F16: return ir_.getHalfTy();
  case Type::F32:
  case Type::TF32: return ir_.getFloatTy();
  case Type::F64: return ir_.getDoubleTy();
  case Type::None: return ir_.getVoidTy();
  default: return ir_.getIntNTy(ptx::bit_width(type));
  }
}

// The callee is declared as "tg.rt.<name>" and marked as free of side effects, so that LLVM's scalar passes may move,
// merge or drop the call like any other arithmetic.
llvm::Value* LaneBuilder::rt(std::string_view name, llvm::Type* result, llvm::ArrayRef<llvm::Value*> args) {
  llvm::Module* module = ir_.GetInsertBlock()->getModule();
  llvm::SmallVector<llvm::Type*, 4> types;
  for (llvm::Value* arg : args) types.push_back(arg->getType());
  auto callee = module->getOrInsertFunction("tg.rt." + std::string(name),
                                            llvm::FunctionType::get(result, types, /*isVarArg=*/false));
  if (auto* function = llvm::dyn_cast<llvm::Function>(callee.getCallee())) {
    function->setMemoryEffects(llvm::MemoryEffects::none());
    function->setDoesNotThrow();
    function->setWillReturn();
    function->addFnAttr(llvm::Attribute::Speculatable);
    function->addFnAttr(llvm::Attribute::NoSync);
  }
  return ir_.CreateCall(callee, args);
}

} // namespace tollgate::lower
