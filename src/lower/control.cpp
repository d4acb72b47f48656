// Control flow instructions (PTX ISA 9.7.12): bra, brx.idx, call, ret, exit, trap.
#include "lower/body.h"

#include <unordered_map>

namespace tollgate::lower {

using namespace llvm;
using ptx::Operand;

void BodyLowering::lower_branch(const ptx::Instruction& inst) { ir_.CreateBr(frame_->blocks[inst.operands[0].label]); }

void BodyLowering::lower_indirect_branch(const ptx::Instruction& inst) {
  Value* index = use(inst.operands[0], ptx::Type::U32);
  const auto& targets = inst.operands[1].list;
  // An index past the list is undefined in PTX; the last target is as good as any.
  auto* sw = ir_.CreateSwitch(index, frame_->blocks[targets.back().label], unsigned(targets.size()));
  for (size_t i = 0; i + 1 < targets.size(); ++i)
    sw->addCase(ir_.getInt32(uint32_t(i)), frame_->blocks[targets[i].label]);
}

void BodyLowering::lower_return(const ptx::Instruction& inst) {
  give_register_results();
  if (frame_->return_block) {
    ir_.CreateBr(frame_->return_block);
    return;
  }
  if (frame_->is_kernel) lanes_.exit(site(inst));
  ir_.CreateRetVoid();
}

void BodyLowering::lower_exit(const ptx::Instruction& inst) {
  lanes_.exit(site(inst));
  ir_.CreateRetVoid();
}

bool BodyLowering::inlinable(uint32_t index) const {
  const ptx::Function& f = state_.ptx->functions[index];
  return !state_.recursive.contains(index) && depth_ < 200 &&
         state_.inlined_instructions + f.instructions.size() <= state_.options.inline_budget;
}

void BodyLowering::inline_call(uint32_t index, const ptx::Instruction& inst, ArrayRef<Value*> results,
                               ArrayRef<Value*> args) {
  Frame callee;
  callee.function = &state_.ptx->functions[index];
  callee.index = index;
  callee.caller = frame_;
  callee.called_from = site(inst);
  callee.params.assign(args.begin(), args.end());
  callee.return_params.assign(results.begin(), results.end());
  callee.return_block = new_block("returned");
  ++depth_;
  lower_frame(callee);
  --depth_;
  ir_.SetInsertPoint(callee.return_block);
}

// Functions that the CUDA runtime provides to device code.
bool BodyLowering::lower_system_call(const std::string& name, const ptx::Instruction& inst, ArrayRef<Value*> results,
                                     ArrayRef<Value*> args) {
  auto arg = [&](unsigned i, Type* type) -> Value* {
    return i < args.size() ? static_cast<Value*>(ir_.CreateLoad(type, args[i])) : ConstantInt::get(type, 0);
  };
  Type* i64 = ir_.getInt64Ty();
  Type* i32 = ir_.getInt32Ty();
  Value* at = ir_.getInt32(site(inst));
  if (name == "vprintf") {
    Value* r = lanes_.helper("vprintf", i32, {arg(0, i64), arg(1, i64)});
    if (!results.empty()) ir_.CreateStore(r, results[0]);
  } else if (name == "malloc") {
    Value* r = lanes_.helper("malloc", i64, {arg(0, i64)});
    if (!results.empty()) ir_.CreateStore(r, results[0]);
  } else if (name == "free") {
    lanes_.helper("free", ir_.getVoidTy(), {arg(0, i64), at});
  } else if (name == "__assertfail" || name == "__assert_fail") {
    // (message, file, line, function[, char size])
    lanes_.helper("assertfail", ir_.getVoidTy(), {arg(0, i64), arg(1, i64), arg(2, i32), arg(3, i64), at});
  } else {
    return false;
  }
  return true;
}

void BodyLowering::lower_call(const ptx::Instruction& inst) {
  // Operands: [ParamList of results], callee, [ParamList of arguments], [Prototype]
  std::vector<Value*> results, args;
  const Operand* callee = nullptr;
  bool seen_callee = false;
  std::vector<std::pair<const Operand*, AllocaInst*>> register_results;
  for (const Operand& operand : inst.operands) {
    if (operand.kind == Operand::Kind::ParamList) {
      for (const Operand& p : operand.list) {
        Value* pointer = nullptr;
        if (p.kind == Operand::Kind::SymbolAddress) {
          pointer = as_pointer(p);
        } else if (p.kind == Operand::Kind::Register) { // passed directly
          Type* type = register_type(p.reg);
          AllocaInst* slot = stack_slot(type, Align(8));
          if (seen_callee)
            ir_.CreateStore(read_register(p.reg), slot);
          else
            register_results.emplace_back(&p, slot);
          pointer = slot;
        } else { // an immediate
          AllocaInst* slot = stack_slot(ir_.getInt64Ty(), Align(8));
          ir_.CreateStore(integer(p, 64), slot);
          pointer = slot;
        }
        (seen_callee ? args : results).push_back(pointer);
      }
    } else if (operand.kind == Operand::Kind::SymbolAddress || operand.kind == Operand::Kind::Register) {
      callee = &operand;
      seen_callee = true;
    }
  }
  if (!callee) return fail(inst, "call without a target");

  if (callee->kind == Operand::Kind::SymbolAddress) {
    uint32_t index = callee->symbol->index;
    const ptx::Function& f = state_.ptx->functions[index];
    while (results.size() < f.return_params.size()) // nobody wants them
      results.push_back(stack_slot(ArrayType::get(ir_.getInt8Ty(), f.return_params[results.size()].size), Align(16)));
    if (f.is_declaration) {
      if (f.name.starts_with("__cudaCDP2"))
        return fail(
            inst,
            "a call of the CUDA runtime from a kernel (dynamic parallelism) is not modelled: launch from the host");
      if (!lower_system_call(f.name, inst, results, args))
        return fail(inst, "call of '" + f.name + "', which this program does not define");
    } else if (inlinable(index)) {
      inline_call(index, inst, results, args);
    } else {
      std::vector<Value*> words;
      for (Value* p : results) words.push_back(ir_.CreatePtrToInt(p, ir_.getInt64Ty()));
      for (Value* p : args) words.push_back(ir_.CreatePtrToInt(p, ir_.getInt64Ty()));
      lanes_.call(state_.outline(index), nullptr, words, site(inst));
    }
  } else {
    std::vector<Value*> words;
    for (Value* p : results) words.push_back(ir_.CreatePtrToInt(p, ir_.getInt64Ty()));
    for (Value* p : args) words.push_back(ir_.CreatePtrToInt(p, ir_.getInt64Ty()));
    lanes_.call(~0u, integer(*callee, 64), words, site(inst));
    // Any function whose address is taken may be the target.
    for (uint32_t i = 0; i < state_.ptx->functions.size(); ++i)
      if (state_.address_taken.contains(i)) state_.outline(i);
  }
  for (auto& [operand, slot] : register_results)
    ir_.CreateStore(ir_.CreateLoad(register_type(operand->reg), slot), reg_slot(operand->reg));
}

BodyLowerFn find_control(std::string_view mnemonic) {
  static const std::unordered_map<std::string_view, BodyLowerFn> table = {
      {"bra", [](BodyLowering& b, const ptx::Instruction& i) { b.lower_branch(i); }},
      {"brx", [](BodyLowering& b, const ptx::Instruction& i) { b.lower_indirect_branch(i); }},
      {"ret", [](BodyLowering& b, const ptx::Instruction& i) { b.lower_return(i); }},
      {"exit", [](BodyLowering& b, const ptx::Instruction& i) { b.lower_exit(i); }},
      {"call", [](BodyLowering& b, const ptx::Instruction& i) { b.lower_call(i); }},
      {"trap",
       [](BodyLowering& b, const ptx::Instruction& i) {
         b.lanes().helper("trap", b.ir().getVoidTy(), {b.ir().getInt32(b.site(i))});
       }},
      {"brkpt", [](BodyLowering&, const ptx::Instruction&) {}},
  };
  auto it = table.find(mnemonic);
  return it == table.end() ? nullptr : it->second;
}

} // namespace tollgate::lower
