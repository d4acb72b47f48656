// Values: what is the same for all lanes stays a scalar, everything else becomes a vector of 32 elements.
#include "ptx/module.h"
#include "simd/widener.h"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>

namespace tollgate::simd {

using namespace llvm;

// --- slots: values that cross blocks ---------------------------------------------------------------------------------

// Linearised control flow breaks dominance: a value that another block uses goes through a stack slot, which mem2reg
// turns back into SSA form. Lanes that skipped the definition never look at the slot.
AllocaInst* Widener::slot_of(Value* v, bool phi_input) {
  auto& slots = phi_input ? phi_slots_ : slots_;
  AllocaInst*& slot = slots[v];
  if (!slot) {
    IRBuilder<> at(entry_, entry_->begin());
    slot = at.CreateAlloca(uniform(v) ? v->getType() : wide(v->getType()));
  }
  return slot;
}

void Widener::define(Instruction* inst, Value* value) {
  // A value that is the same for all lanes by nature may still have to be kept lane by lane across a stop.
  if (!uniform(inst) && !value->getType()->isVectorTy()) value = splat(value);
  (uniform(inst) ? made_.scalars : made_.vectors)[inst] = value;
  bool crosses = any_of(inst->users(), [&](User* u) {
    auto* user = cast<Instruction>(u);
    return user->getParent() != inst->getParent() || isa<PHINode>(user);
  });
  if (!crosses) return;
  if (resident_.contains(inst)) return save(inst, mask_, blends(inst->getParent()));
  b_.CreateStore(value, slot_of(inst));
  if (!uniform(inst) && stride_of(inst)) store_affine(affine_slots(inst, false), affine(inst));
}

// A few cheap operations on what the thread's context holds cost less than a slot in the frame, or 32 lanes kept in
// registers.
int Widener::rematerialisation_cost(const Value* v) const {
  constexpr int limit = 6;
  if (isa<Constant>(v)) return 0;
  auto* inst = dyn_cast<Instruction>(v);
  if (!inst) return -1;
  if (auto it = rematerialised_.find(inst); it != rematerialised_.end()) return it->second;
  rematerialised_[inst] = -1;
  int cost = -1;
  if (is_context_read(inst)) {
    cost = 1;
  } else if (isa<CastInst>(inst) || isa<BinaryOperator>(inst) || isa<CmpInst>(inst)) {
    bool cheap = inst->getType()->isIntegerTy() && inst->getOperand(0)->getType()->isIntegerTy();
    switch (inst->getOpcode()) {
    case Instruction::UDiv:
    case Instruction::SDiv:
    case Instruction::URem:
    case Instruction::SRem: cheap = false; break;
    default: break;
    }
    cost = cheap ? 1 : -1;
    for (const Value* op : inst->operands()) {
      int c = cheap ? rematerialisation_cost(op) : -1;
      cost = c < 0 || cost < 0 ? -1 : cost + c;
    }
    if (cost > limit) cost = -1;
  }
  return rematerialised_[inst] = cost;
}

bool Widener::is_rematerialised(const Value* v) const { return isa<Instruction>(v) && rematerialisation_cost(v) >= 0; }

bool Widener::is_context_read(const Value* v) const {
  auto* inst = dyn_cast<Instruction>(v);
  if (!inst) return false;
  std::string_view op = lane_op(*inst);
  if (op == "ldparam" || op == "param_base" || op == "symbol" || op == "shared_base" || op == "cluster_base" ||
      op == "local_base")
    return true;
  return op == "sreg";
}

Value* Widener::scalar(Value* v) {
  if (isa<Constant>(v)) return v;
  if (auto it = made_.scalars.find(v); it != made_.scalars.end()) return it->second;
  Value* out = nullptr;
  if (is_context_read(v)) {
    out = rematerialise(cast<CallInst>(v));
  } else if (is_rematerialised(v)) {
    out = emit_elementwise(cast<Instruction>(v), true);
  } else if (resident_.contains(v)) {
    out = load_saved(cast<Instruction>(v));
  } else {
    AllocaInst* slot = slot_of(v);
    out = b_.CreateLoad(slot->getAllocatedType(), slot);
  }
  return made_.scalars[v] = out;
}

Value* Widener::splat(Value* v) { return b_.CreateVectorSplat(kLanes, v); }

Value* Widener::vec(Value* v) {
  if (auto* c = dyn_cast<Constant>(v)) return ConstantVector::getSplat(ElementCount::getFixed(kLanes), c);
  if (auto it = made_.vectors.find(v); it != made_.vectors.end()) return it->second;
  Value* out = nullptr;
  if (uniform(v)) {
    out = splat(scalar(v));
  } else if (is_context_read(v)) {
    out = rematerialise(cast<CallInst>(v));
  } else if (is_rematerialised(v) || is_deferred(v)) {
    out = emit_elementwise(cast<Instruction>(v), false);
  } else if (resident_.contains(v)) {
    out = load_saved(cast<Instruction>(v));
  } else {
    AllocaInst* slot = slot_of(v);
    out = b_.CreateLoad(slot->getAllocatedType(), slot);
  }
  return made_.vectors[v] = out;
}

// --- masks -----------------------------------------------------------------------------------------------------------

// Without mask registers LLVM takes the bits of a bitcast apart one at a time: some 90 instructions.
Value* Widener::to_mask(Value* lanes) {
  if (options_.mask_registers) return b_.CreateBitCast(lanes, wide(b_.getInt1Ty()));
  SmallVector<uint32_t, kLanes> bits;
  for (unsigned lane = 0; lane < kLanes; ++lane) bits.push_back(1u << lane);
  Value* mine = ConstantDataVector::get(context_, bits);
  return b_.CreateICmpEQ(b_.CreateAnd(splat(lanes), mine), mine);
}
Value* Widener::to_bits(Value* mask) { return b_.CreateBitCast(mask, b_.getInt32Ty()); }

Value* Widener::mask_vector() {
  if (!made_.mask) made_.mask = to_mask(mask_);
  return made_.mask;
}

Value* Widener::lane_bits(Value* condition) {
  if (uniform(condition)) return b_.CreateSelect(scalar(condition), mask_, i32(0));
  if (Value* lanes = compare_in_line(condition)) return lanes;
  return b_.CreateAnd(to_bits(vec(condition)), mask_);
}

// --- instructions ----------------------------------------------------------------------------------------------------

void Widener::emit_instruction(Instruction* inst) {
  if (is_rematerialised(inst) || is_deferred(inst)) return; // made where it is used
  if (auto* call = dyn_cast<CallInst>(inst)) {
    std::string_view op = lane_op(*call);
    if (op == "rt") {
      define(inst, emit_runtime_function(call, uniform(inst)));
      return;
    }
    if (!op.empty() && emit_lane_call(call, op)) return;
  }
  if (auto* extract = dyn_cast<ExtractValueInst>(inst)) { // an element of a vector load
    auto it = elements_.find(extract->getAggregateOperand());
    Value* v = it->second[extract->getIndices()[0]];
    // A uniform element of a load made vectors only if the load itself is varying.
    define(inst, v);
    return;
  }
  define(inst, emit_elementwise(inst, uniform(inst)));
}

Value* Widener::emit_elementwise(Instruction* inst, bool as_scalar) {
  auto get = [&](unsigned i) { return as_scalar ? scalar(inst->getOperand(i)) : vec(inst->getOperand(i)); };
  Type* type = as_scalar ? inst->getType() : (inst->getType()->isVoidTy() ? inst->getType() : wide(inst->getType()));
  if (auto* binary = dyn_cast<BinaryOperator>(inst)) {
    switch (binary->getOpcode()) {
    case Instruction::UDiv:
    case Instruction::SDiv:
    case Instruction::URem:
    case Instruction::SRem: return emit_division(binary, as_scalar);
    default: return b_.CreateBinOp(binary->getOpcode(), get(0), get(1));
    }
  }
  if (auto* unary = dyn_cast<UnaryOperator>(inst)) return b_.CreateUnOp(unary->getOpcode(), get(0));
  if (auto* cast = dyn_cast<CastInst>(inst)) return b_.CreateCast(cast->getOpcode(), get(0), type);
  if (auto* cmp = dyn_cast<CmpInst>(inst)) return b_.CreateCmp(cmp->getPredicate(), get(0), get(1));
  if (isa<FreezeInst>(inst)) return b_.CreateFreeze(get(0));
  if (auto* select = dyn_cast<SelectInst>(inst)) {
    Value* condition = uniform(select->getCondition()) ? scalar(select->getCondition()) : vec(select->getCondition());
    return b_.CreateSelect(condition, get(1), get(2));
  }
  if (auto* call = dyn_cast<CallInst>(inst); call && call->getIntrinsicID() != Intrinsic::not_intrinsic)
    return emit_intrinsic(call, as_scalar);
  report_fatal_error(Twine("widener: unexpected instruction: ") + inst->getOpcodeName());
}

// Lanes that do not run hold anything; their divisors must not trap.
Value* Widener::emit_division(BinaryOperator* inst, bool as_scalar) {
  Value* a = as_scalar ? scalar(inst->getOperand(0)) : vec(inst->getOperand(0));
  Value* d = as_scalar ? scalar(inst->getOperand(1)) : vec(inst->getOperand(1));
  if (isa<Constant>(inst->getOperand(1))) return b_.CreateBinOp(inst->getOpcode(), a, d);
  Type* type = d->getType();
  d = b_.CreateFreeze(d);
  Value* bad = b_.CreateICmpEQ(d, Constant::getNullValue(type));
  bool is_signed = inst->getOpcode() == Instruction::SDiv || inst->getOpcode() == Instruction::SRem;
  if (is_signed) {
    a = b_.CreateFreeze(a);
    unsigned bits = type->getScalarSizeInBits();
    Value* smallest = b_.CreateICmpEQ(a, ConstantInt::get(type, APInt::getSignedMinValue(bits)));
    bad = b_.CreateOr(bad, b_.CreateAnd(smallest, b_.CreateICmpEQ(d, Constant::getAllOnesValue(type))));
  }
  d = b_.CreateSelect(bad, ConstantInt::get(type, 1), d);
  return b_.CreateBinOp(inst->getOpcode(), a, d);
}

Value* Widener::emit_intrinsic(CallInst* call, bool as_scalar) {
  Intrinsic::ID id = call->getIntrinsicID();
  SmallVector<Value*, 4> args;
  for (unsigned i = 0; i < call->arg_size(); ++i) {
    Value* a = call->getArgOperand(i);
    bool immediate = isVectorIntrinsicWithScalarOpAtArg(id, i);
    args.push_back(as_scalar || immediate ? scalar(a) : vec(a));
  }
  if (as_scalar) return b_.CreateCall(call->getCalledFunction(), args);
  SmallVector<Type*, 4> overloads;
  if (!Intrinsic::getIntrinsicSignature(call->getCalledFunction(), overloads))
    report_fatal_error(Twine("widener: unexpected intrinsic ") + call->getCalledFunction()->getName());
  for (Type*& t : overloads) t = wide(t);
  Function* f = Intrinsic::getDeclaration(&module_, id, overloads);
  return b_.CreateCall(f, args);
}

// tg.rt.<name>: a pure function of rtlib/; its 32-lane twin works on arrays.
Value* Widener::emit_runtime_function(CallInst* call, bool as_scalar) {
  std::string name = call->getCalledFunction()->getName().substr(strlen("tg.rt.")).str();
  if (as_scalar) {
    SmallVector<Value*, 4> args;
    for (Value* a : call->args()) args.push_back(scalar(a));
    return call_runtime("tgr_" + name, call->getType(), args);
  }
  Value* out = scratch(wide(call->getType()));
  SmallVector<Value*, 4> args{out};
  for (Value* a : call->args()) args.push_back(spill(vec(a)));
  call_runtime("tgv_" + name, b_.getVoidTy(), args);
  scratch_used_ = 0;
  return b_.CreateLoad(wide(call->getType()), out);
}

Value* Widener::call_runtime(StringRef name, Type* result, ArrayRef<Value*> args) {
  SmallVector<Type*, 8> types;
  for (Value* a : args) types.push_back(a->getType());
  auto* type = FunctionType::get(result, types, false);
  FunctionCallee f = module_.getOrInsertFunction(name, type);
  if (auto* fn = dyn_cast<Function>(f.getCallee())) fn->addFnAttr(Attribute::NoUnwind);
  return b_.CreateCall(f, args);
}

// Where values wait for a rare way's end is decided by how often it is taken.
void Widener::branch_likely(Value* condition, Block* likely, Block* unlikely) {
  b_.CreateCondBr(condition, likely, unlikely, MDBuilder(context_).createLikelyBranchWeights());
}

// An alloca for passing vectors to helpers; taken in turn and all given back after the call.
Value* Widener::scratch(Type* type) {
  AllocaInst*& slot = scratch_[{type, scratch_used_++}];
  if (!slot) {
    IRBuilder<> at(entry_, entry_->begin());
    slot = at.CreateAlloca(type);
    slot->setAlignment(Align(64));
  }
  return slot;
}

Value* Widener::spill(Value* vector) {
  if (vector->getType()->getScalarType()->isIntegerTy(1)) return to_bits(vector); // as a mask, by value
  Value* slot = scratch(vector->getType());
  b_.CreateStore(vector, slot);
  return slot;
}

} // namespace tollgate::simd
