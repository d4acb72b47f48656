#include "lower/body.h"

#include "lower/arithmetic.h"

#include <llvm/ADT/StringExtras.h>

namespace tollgate::lower {

using namespace llvm;
using ptx::Operand;
using ptx::Space;

uint32_t KernelState::outline(uint32_t ptx_function) {
  auto [it, fresh] = outlined.try_emplace(ptx_function, uint32_t(functions.size()));
  if (fresh)
    functions.push_back(
        {"tgf." + std::to_string(functions.size()) + "." + ptx->functions[ptx_function].name, ptx_function});
  return it->second;
}

BodyLowering::BodyLowering(KernelState& state, Function* function)
    : LaneBuilder(function->getContext()), state_(state), function_(function), lanes_(ir_, *state.module) {
  entry_ = BasicBlock::Create(context(), "entry", function_);
}

// --- registers and operands ---------------------------------------------------------------------------------------

AllocaInst* BodyLowering::stack_slot(Type* type, Align align) {
  IRBuilder<> at(entry_, entry_->begin());
  auto* slot = at.CreateAlloca(type);
  slot->setAlignment(align);
  return slot;
}

AllocaInst* BodyLowering::byte_slot(uint64_t bytes, uint32_t align) {
  return stack_slot(ArrayType::get(ir_.getInt8Ty(), std::max<uint64_t>(bytes, 1)), Align(std::max<uint32_t>(align, 1)));
}

Type* BodyLowering::register_type(int32_t reg) {
  unsigned bits = ptx::bit_width(frame_->function->registers[size_t(reg)].type);
  return ir_.getIntNTy(bits);
}

AllocaInst* BodyLowering::reg_slot(int32_t reg) {
  auto& slot = frame_->registers[size_t(reg)];
  if (!slot) {
    Type* type = register_type(reg);
    slot = stack_slot(type, Align(std::max(1u, type->getIntegerBitWidth() / 8)));
  }
  return slot;
}

Value* BodyLowering::read_register(int32_t reg) { return ir_.CreateLoad(register_type(reg), reg_slot(reg)); }

Value* BodyLowering::symbol_value(const Operand& operand) {
  const ptx::Symbol& s = *operand.symbol;
  Value* base = nullptr;
  switch (s.kind) {
  case ptx::SymbolKind::ModuleVar: {
    const ptx::Variable& v = state_.ptx->variables[s.index];
    if (v.space == Space::Shared) {
      base = ir_.getInt64(state_.shared_offset.at({0, s.index}));
    } else {
      base = lanes_.symbol(s.index);
    }
    break;
  }
  case ptx::SymbolKind::LocalVar: {
    const ptx::Variable& v = frame_->function->variables[s.index];
    if (v.space == Space::Shared) {
      base = ir_.getInt64(state_.shared_offset.at({frame_->index + 1, s.index}));
    } else {
      auto& slot = frame_->variables[s.index];
      if (!slot) slot = byte_slot(v.size, std::max(v.align, 8u));
      base = ir_.CreatePtrToInt(slot, ir_.getInt64Ty());
    }
    break;
  }
  case ptx::SymbolKind::Param:
    if (frame_->is_kernel) {
      uint64_t offset = 0;
      for (uint32_t i = 0; i <= s.index; ++i) {
        const ptx::Variable& p = frame_->function->params[i];
        offset = alignTo(offset, Align(std::max(1u, p.align)));
        if (i < s.index) offset += p.size;
      }
      base = ir_.CreateAdd(lanes_.param_base(), ir_.getInt64(offset));
    } else {
      base = ir_.CreatePtrToInt(frame_->params[s.index], ir_.getInt64Ty());
    }
    break;
  case ptx::SymbolKind::RetParam: base = ir_.CreatePtrToInt(frame_->return_params[s.index], ir_.getInt64Ty()); break;
  case ptx::SymbolKind::Function: base = ir_.getInt64(function_address(s.index)); break;
  }
  return operand.offset == 0 ? base : ir_.CreateAdd(base, ir_.getInt64(uint64_t(operand.offset)));
}

Value* BodyLowering::integer(const Operand& operand, unsigned bits) {
  Type* type = ir_.getIntNTy(bits);
  Value* v = nullptr;
  switch (operand.kind) {
  case Operand::Kind::Register:
    v = read_register(operand.reg);
    if (operand.negated) v = ir_.CreateNot(v);
    break;
  case Operand::Kind::Immediate: {
    // Sign-extended as parsed; B128 immediates do not exist.
    return ConstantInt::get(type, APInt(64, operand.bits).sextOrTrunc(bits));
  }
  case Operand::Kind::Special: {
    using ptx::SpecialReg;
    bool wide = bits == 64;
    if (auto offset = reserved_shared_offset(operand.special))
      v = ConstantInt::get(
          type, *offset + (operand.special == SpecialReg::ReservedSmemOffsetCap ? 0 : state_.reserved_shared));
    else
      v = lanes_.sreg(uint32_t(operand.special), wide);
    break;
  }
  case Operand::Kind::SymbolAddress: v = symbol_value(operand); break;
  case Operand::Kind::Vector: { // packed into a wider value, first element lowest
    unsigned shift = 0;
    Value* sum = ConstantInt::get(type, 0);
    unsigned each = bits / unsigned(operand.list.size());
    for (const Operand& element : operand.list) {
      Value* e = element.kind == Operand::Kind::Sink ? ConstantInt::get(type, 0)
                                                     : ir_.CreateZExtOrTrunc(integer(element, each), type);
      sum = ir_.CreateOr(sum, ir_.CreateShl(e, shift));
      shift += each;
    }
    return sum;
  }
  default: return ConstantInt::get(type, 0);
  }
  return ir_.CreateZExtOrTrunc(v, type);
}

Value* BodyLowering::use(const Operand& operand, ptx::Type type) {
  Type* t = type_of(type);
  if (operand.kind == Operand::Kind::Immediate && t->isFloatingPointTy()) {
    switch (operand.float_literal) {
    case Operand::FloatLiteral::F32: {
      APFloat f(APFloat::IEEEsingle(), APInt(32, operand.bits & 0xffffffffu));
      bool lossy = false;
      if (!t->isFloatTy()) f.convert(t->getFltSemantics(), APFloat::rmNearestTiesToEven, &lossy);
      return ConstantFP::get(context(), f);
    }
    case Operand::FloatLiteral::F64:
    case Operand::FloatLiteral::Decimal: {
      APFloat f(APFloat::IEEEdouble(), APInt(64, operand.bits));
      bool lossy = false;
      if (!t->isDoubleTy()) f.convert(t->getFltSemantics(), APFloat::rmNearestTiesToEven, &lossy);
      return ConstantFP::get(context(), f);
    }
    case Operand::FloatLiteral::No: break;
    }
  }
  if (operand.kind == Operand::Kind::Immediate && operand.float_literal != Operand::FloatLiteral::No) {
    // A float literal under a bit type: mov.b32 %r, 0f3F800000
    return ConstantInt::get(t, APInt(64, operand.bits).zextOrTrunc(t->getIntegerBitWidth()));
  }
  unsigned bits = t->isIntegerTy() ? t->getIntegerBitWidth() : t->getScalarSizeInBits();
  Value* v = nullptr;
  if (bits == 1 && operand.kind == Operand::Kind::Register && register_type(operand.reg)->getIntegerBitWidth() == 1) {
    v = read_register(operand.reg);
    if (operand.negated) v = ir_.CreateNot(v);
  } else {
    v = integer(operand, bits);
  }
  return t->isIntegerTy() ? v : ir_.CreateBitCast(v, t);
}

void BodyLowering::def(const Operand& operand, ptx::Type type, Value* value) {
  if (operand.kind == Operand::Kind::Sink) return;
  if (value->getType()->isFloatingPointTy())
    value =
        ir_.CreateBitCast(value, ir_.getIntNTy(unsigned(value->getType()->getPrimitiveSizeInBits().getFixedValue())));
  if (operand.kind == Operand::Kind::Vector) { // unpack
    unsigned total = value->getType()->getIntegerBitWidth(), each = total / unsigned(operand.list.size()), shift = 0;
    for (const Operand& element : operand.list) {
      if (element.kind == Operand::Kind::Register) {
        Value* part = ir_.CreateTrunc(ir_.CreateLShr(value, shift), ir_.getIntNTy(each));
        ir_.CreateStore(ir_.CreateZExtOrTrunc(part, register_type(element.reg)), reg_slot(element.reg));
      }
      shift += each;
    }
    return;
  }
  if (operand.kind != Operand::Kind::Register || operand.reg < 0) return;
  Type* reg = register_type(operand.reg);
  value = ptx::is_signed(type) ? ir_.CreateSExtOrTrunc(value, reg) : ir_.CreateZExtOrTrunc(value, reg);
  ir_.CreateStore(value, reg_slot(operand.reg));
}

void BodyLowering::def_pair(const Operand& operand, Value* i1) {
  if (operand.pair >= 0)
    ir_.CreateStore(ir_.CreateZExtOrTrunc(i1, register_type(operand.pair)), reg_slot(operand.pair));
}

Value* BodyLowering::carry() {
  if (!frame_->carry) return ir_.getFalse();
  return ir_.CreateLoad(ir_.getInt1Ty(), frame_->carry);
}

void BodyLowering::set_carry(Value* i1) {
  if (!frame_->carry) frame_->carry = stack_slot(ir_.getInt1Ty(), Align(1));
  ir_.CreateStore(i1, frame_->carry);
}

void BodyLowering::fail(const ptx::Instruction& inst, std::string message) {
  if (state_.error) return;
  Error e;
  e.message = std::move(message);
  e.file = state_.ptx->name;
  e.position = {inst.ptx_line, inst.ptx_column};
  if (inst.ptx_line > 0 && inst.ptx_line <= state_.ptx->lines.size()) e.excerpt = state_.ptx->lines[inst.ptx_line - 1];
  observe::Place place = state_.sites->place(site(inst));
  if (!place.stack.empty())
    e.remedy = "it comes from " + place.stack.front().file + ":" + std::to_string(place.stack.front().line);
  state_.error = std::move(e);
}

uint32_t BodyLowering::site(const ptx::Instruction& inst) {
  auto index = uint32_t(&inst - frame_->function->instructions.data());
  return state_.sites->add({frame_->index, index, frame_->called_from});
}

// --- addresses ------------------------------------------------------------------------------------------------------

BodyLowering::Address BodyLowering::address(const Operand& operand, Space space) {
  Address a;
  a.space = space;
  if (operand.symbol) {
    const ptx::Symbol& s = *operand.symbol;
    auto at = [&](Value* pointer) {
      a.space = Space::Local;
      a.pointer = operand.offset == 0 ? pointer
                                      : ir_.CreateGEP(ir_.getInt8Ty(), pointer, ir_.getInt64(uint64_t(operand.offset)));
    };
    switch (s.kind) {
    case ptx::SymbolKind::Param:
      if (frame_->is_kernel) {
        a.is_kernel_param = true;
        for (uint32_t i = 0; i <= s.index; ++i) {
          const ptx::Variable& p = frame_->function->params[i];
          a.offset = alignTo(a.offset, Align(std::max(1u, p.align)));
          if (i < s.index) a.offset += p.size;
        }
        a.offset += uint64_t(operand.offset);
      } else {
        at(frame_->params[s.index]);
      }
      break;
    case ptx::SymbolKind::RetParam: at(frame_->return_params[s.index]); break;
    case ptx::SymbolKind::LocalVar: {
      const ptx::Variable& v = frame_->function->variables[s.index];
      if (v.space != Space::Shared) {
        auto& slot = frame_->variables[s.index];
        if (!slot) slot = byte_slot(v.size, std::max(v.align, 8u));
        at(slot);
      } else {
        a.space = Space::Shared;
      }
      break;
    }
    case ptx::SymbolKind::ModuleVar:
      if (space == Space::Generic) a.space = state_.ptx->variables[s.index].space;
      break;
    default: break;
    }
    if (!a.pointer) a.value = symbol_value(operand);
    return a;
  }
  Value* base = ir_.getInt64(uint64_t(operand.offset));
  if (operand.reg >= 0) {
    Value* reg = ir_.CreateZExtOrTrunc(read_register(operand.reg), ir_.getInt64Ty());
    base = operand.offset == 0 ? reg : ir_.CreateAdd(reg, base);
  }
  a.value = base;
  return a;
}

Value* BodyLowering::as_pointer(const Operand& operand) {
  Address a = address(operand, Space::Param);
  return a.pointer;
}

// --- bodies ---------------------------------------------------------------------------------------------------------

BasicBlock* BodyLowering::new_block(const char* name) { return BasicBlock::Create(context(), name, function_); }

namespace {

// The last .loc of a kernel built at -O0 is its closing brace; the first instruction behind it is what a thread
// executes that did not leave by `return` (docs/barriers.md).
int64_t closing_brace_instruction(const ptx::Function& f, const ptx::Module& m) {
  uint32_t best = 0;
  for (const ptx::Instruction& inst : f.instructions) {
    const ptx::SourceLocation& loc = m.locations[inst.location];
    if (inst.location != 0 && loc.inlined_at == 0) best = std::max(best, loc.line);
  }
  if (best == 0) return -1;
  for (size_t i = 0; i < f.instructions.size(); ++i) {
    const ptx::SourceLocation& loc = m.locations[f.instructions[i].location];
    if (f.instructions[i].location != 0 && loc.inlined_at == 0 && loc.line == best) return int64_t(i);
  }
  return -1;
}

} // namespace

// Parameters in registers (PTX ISA, .func): the caller's buffers hold them on the way.
void BodyLowering::take_register_params() {
  const auto& params = function().params;
  for (size_t i = 0; i < params.size(); ++i)
    if (params[i].reg >= 0)
      ir_.CreateStore(ir_.CreateLoad(register_type(params[i].reg), frame_->params[i]), reg_slot(params[i].reg));
}

void BodyLowering::give_register_results() {
  const auto& results = function().return_params;
  for (size_t i = 0; i < results.size(); ++i)
    if (results[i].reg >= 0) ir_.CreateStore(read_register(results[i].reg), frame_->return_params[i]);
}

void BodyLowering::lower_frame(Frame& frame) {
  Frame* saved = frame_;
  frame_ = &frame;
  const ptx::Function& f = *frame.function;
  state_.inlined_instructions += f.instructions.size();
  frame.registers.assign(f.registers.size(), nullptr);
  frame.variables.assign(f.variables.size(), nullptr);
  for (const ptx::Label& label : f.labels) frame.blocks.push_back(new_block(label.name.c_str()));
  std::multimap<uint32_t, uint32_t> labels_at;
  for (uint32_t i = 0; i < f.labels.size(); ++i) labels_at.emplace(f.labels[i].instruction, i);

  take_register_params();
  auto place_labels = [&](uint32_t index) {
    auto [first, last] = labels_at.equal_range(index);
    for (auto it = first; it != last; ++it) {
      BasicBlock* block = frame.blocks[it->second];
      if (!ir_.GetInsertBlock()->getTerminator()) ir_.CreateBr(block);
      ir_.SetInsertPoint(block);
    }
  };
  for (uint32_t i = 0; i < f.instructions.size() && !state_.error; ++i) {
    place_labels(i);
    if (ir_.GetInsertBlock()->getTerminator()) ir_.SetInsertPoint(new_block("dead"));
    if (int64_t(i) == frame.closing_brace) lanes_.closing_brace();
    lower_instruction(f.instructions[i]);
  }
  place_labels(uint32_t(f.instructions.size()));
  if (!ir_.GetInsertBlock()->getTerminator()) { // falling off the end returns
    give_register_results();
    if (frame.return_block)
      ir_.CreateBr(frame.return_block);
    else
      ir_.CreateRetVoid();
  }
  frame_ = saved;
}

void BodyLowering::lower_instruction(const ptx::Instruction& inst) {
  if (!inst.guard) {
    dispatch(inst);
    return;
  }
  Value* p = read_register(inst.guard->reg);
  if (inst.guard->negated) p = ir_.CreateNot(p);
  BasicBlock* then = new_block("guarded");
  BasicBlock* next = new_block("next");
  ir_.CreateCondBr(p, then, next);
  ir_.SetInsertPoint(then);
  dispatch(inst);
  if (!ir_.GetInsertBlock()->getTerminator()) ir_.CreateBr(next);
  ir_.SetInsertPoint(next);
}

void BodyLowering::dispatch(const ptx::Instruction& inst) {
  const ptx::InstForm& form = *inst.form;
  if (form.flags & ptx::Unsupported) {
    // Known, but outside what runs here: an error only for a thread that gets there. The launch ends in the helper.
    lanes_.helper("not_modelled", ir_.getVoidTy(), {ir_.getInt32(site(inst))});
    return;
  }
  if (form.flags & ptx::Approximate) state_.approximate.insert(std::string(form.name));
  // The four families do not overlap; the order is that of frequency.
  if (LowerFn fn = find_arithmetic(form.name)) return fn(*this, inst);
  if (BodyLowerFn fn = find_memory(form.name)) return fn(*this, inst);
  if (BodyLowerFn fn = find_control(form.name)) return fn(*this, inst);
  if (BodyLowerFn fn = find_async(form.name)) return fn(*this, inst);
  if (BodyLowerFn fn = find_sync(form.name)) return fn(*this, inst);
  fail(inst, "no lowering for this instruction: " + std::string(form.syntax));
}

void BodyLowering::lower_entry(uint32_t index) {
  Frame frame;
  frame.function = &state_.ptx->functions[index];
  frame.index = index;
  frame.is_kernel = true;
  if (state_.options.unoptimised) frame.closing_brace = closing_brace_instruction(*frame.function, *state_.ptx);
  BasicBlock* body = new_block("body");
  ir_.SetInsertPoint(entry_);
  ir_.CreateBr(body);
  ir_.SetInsertPoint(body);
  lower_frame(frame);
}

void BodyLowering::lower_outlined(uint32_t index) {
  Frame frame;
  frame.function = &state_.ptx->functions[index];
  frame.index = index;
  BasicBlock* body = new_block("body");
  ir_.SetInsertPoint(entry_);
  ir_.CreateBr(body);
  ir_.SetInsertPoint(body);
  // Parameters arrive by value in the call area; each becomes a private copy, as PTX has it. See lower_call.
  uint32_t word = 0;
  auto take = [&](const ptx::Variable& v) -> Value* { // the address of the caller's buffer
    (void)v;
    Value* address = lanes_.call_arg(word++);
    return ir_.CreateIntToPtr(address, PointerType::get(context(), 0));
  };
  for (const ptx::Variable& v : frame.function->return_params) frame.return_params.push_back(take(v));
  for (const ptx::Variable& v : frame.function->params) frame.params.push_back(take(v));
  lower_frame(frame);
}

} // namespace tollgate::lower
