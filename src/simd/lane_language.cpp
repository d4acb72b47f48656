#include "simd/lane_language.h"

#include "ptx/module.h"

#include <llvm/IR/Instructions.h>
#include <llvm/Support/raw_ostream.h>

namespace tollgate::simd {

using namespace llvm;

namespace {

// What LLVM may assume of a call.
enum Effect : unsigned {
  Invariant, // same value whenever this thread asks: may be hoisted, merged, dropped
  Memory,    // reads and writes memory
  Warp,      // depends on which lanes run together: never moved across control flow, merged or duplicated
};

bool is_clock(uint32_t special) {
  switch (ptx::SpecialReg(special)) {
  case ptx::SpecialReg::Clock:
  case ptx::SpecialReg::ClockHi:
  case ptx::SpecialReg::Clock64:
  case ptx::SpecialReg::Globaltimer:
  case ptx::SpecialReg::GlobaltimerLo:
  case ptx::SpecialReg::GlobaltimerHi: return true;
  default: return false;
  }
}

std::string type_suffix(Type* type) {
  std::string s;
  raw_string_ostream os(s);
  if (type->isVoidTy()) return "";
  type->print(os);
  return s;
}

} // namespace

std::string_view atom_name(AtomOp op) {
  static constexpr std::string_view names[] = {
      "add",      "min_s",    "max_s",     "min_u",      "max_u",       "inc",       "dec",
      "exch",     "cas",      "and",       "or",         "xor",         "add_f32",   "add_f64",
      "add_f16",  "add_bf16", "add_f16x2", "add_bf16x2", "add_f32_ftz", "min_f16",   "max_f16",
      "min_bf16", "max_bf16", "min_f16x2", "max_f16x2",  "min_bf16x2",  "max_bf16x2"};
  return names[unsigned(op)];
}

CallInst* LaneLanguage::emit(std::string_view name, Type* result, ArrayRef<Value*> args, unsigned effect) {
  std::string full = "tg." + std::string(name);
  std::vector<Type*> types;
  if (std::string suffix = type_suffix(result); !suffix.empty()) full += "." + suffix;
  for (Value* arg : args) types.push_back(arg->getType());
  // One declaration per signature: argument types are part of the name where they vary.
  for (Type* t : types)
    if (!t->isIntegerTy(32)) full += "." + type_suffix(t);
  full += "." + std::to_string(types.size());
  auto* type = FunctionType::get(result, types, false);
  Function* f = m_.getFunction(full);
  if (!f) {
    f = Function::Create(type, GlobalValue::ExternalLinkage, full, m_);
    f->addFnAttr(Attribute::NoUnwind);
    f->addFnAttr(Attribute::WillReturn);
    f->addFnAttr(Attribute::NoCallback);
    if (effect == Invariant) {
      f->setMemoryEffects(MemoryEffects::none());
      f->addFnAttr(Attribute::Speculatable);
    } else {
      f->addFnAttr(Attribute::NoMerge);
      if (effect == Warp) {
        f->addFnAttr(Attribute::Convergent);
        f->addFnAttr(Attribute::NoDuplicate);
      }
    }
  }
  return b_.CreateCall(type, f, args);
}

std::string_view lane_op(const Instruction& inst) {
  auto* call = dyn_cast<CallInst>(&inst);
  if (!call || !call->getCalledFunction()) return {};
  StringRef name = call->getCalledFunction()->getName();
  if (!name.consume_front("tg.")) return {};
  StringRef op = name.substr(0, name.find('.'));
  return {op.data(), op.size()};
}

Value* LaneLanguage::sreg(uint32_t special, bool wide) {
  Type* type = wide ? b_.getInt64Ty() : b_.getInt32Ty();
  // Clocks and timers differ from read to read, so LLVM may neither merge two reads nor move one out of a loop;
  // everything else is fixed for a thread.
  if (is_clock(special)) return emit("clock", type, {b_.getInt32(special)}, Memory);
  return emit("sreg", type, {b_.getInt32(special)}, Invariant);
}
Value* LaneLanguage::load_param(Type* type, uint32_t offset) {
  return emit("ldparam", type, {b_.getInt32(offset)}, Invariant);
}
Value* LaneLanguage::param_base() { return emit("param_base", b_.getInt64Ty(), {}, Invariant); }
Value* LaneLanguage::symbol(uint32_t index) { return emit("symbol", b_.getInt64Ty(), {b_.getInt32(index)}, Invariant); }
Value* LaneLanguage::shared_base() { return emit("shared_base", b_.getInt64Ty(), {}, Invariant); }
Value* LaneLanguage::cluster_base() { return emit("cluster_base", b_.getInt64Ty(), {}, Invariant); }
Value* LaneLanguage::local_base() { return emit("local_base", b_.getInt64Ty(), {}, Invariant); }

std::vector<Value*> LaneLanguage::load(Type* element, unsigned count, Value* address, AccessDesc desc, uint32_t site) {
  Type* result = count == 1 ? element : ArrayType::get(element, count);
  Value* v = emit("ld", result, {address, b_.getInt32(desc.encode()), b_.getInt32(site)}, Memory);
  if (count == 1) return {v};
  std::vector<Value*> out;
  for (unsigned i = 0; i < count; ++i) out.push_back(b_.CreateExtractValue(v, i));
  return out;
}

void LaneLanguage::store(ArrayRef<Value*> values, Value* address, AccessDesc desc, uint32_t site) {
  std::vector<Value*> args{address, b_.getInt32(desc.encode()), b_.getInt32(site)};
  args.insert(args.end(), values.begin(), values.end());
  emit("st", b_.getVoidTy(), args, Memory);
}

Value* LaneLanguage::atom(AtomOp op, Value* address, Value* a, Value* b, AccessDesc desc, uint32_t site) {
  return emit("atom", a->getType(),
              {address, b_.getInt32(unsigned(op)), b_.getInt32(desc.encode()), b_.getInt32(site), a, b ? b : a},
              Memory);
}

void LaneLanguage::fence(uint32_t order, uint32_t scope, uint32_t site) {
  emit("fence", b_.getVoidTy(), {b_.getInt32(order), b_.getInt32(scope), b_.getInt32(site)}, Memory);
}

void LaneLanguage::barrier(uint32_t op, Value* id, Value* count, Value* predicate, uint32_t site) {
  emit("barrier", b_.getVoidTy(), {b_.getInt32(op), b_.getInt32(site), id, count, predicate}, Warp);
}
Value* LaneLanguage::barrier_result() { return emit("barrier_result", b_.getInt32Ty(), {}, Warp); }
void LaneLanguage::warp_sync(Value* mask, bool orders_memory, uint32_t site) {
  emit("warp_sync", b_.getVoidTy(), {mask, b_.getInt32(site), b_.getInt32(orders_memory)}, Warp);
}
void LaneLanguage::exit(uint32_t site) { emit("exit", b_.getVoidTy(), {b_.getInt32(site)}, Warp); }
void LaneLanguage::closing_brace() { emit("closing_brace", b_.getVoidTy(), {}, Warp); }

Value* LaneLanguage::shfl(ShflMode mode, Value* value, Value* b, Value* c, Value* mask, uint32_t site) {
  return emit("shfl", b_.getInt32Ty(), {b_.getInt32(unsigned(mode)), value, b, c, mask, b_.getInt32(site)}, Warp);
}
Value* LaneLanguage::shfl_in_range(ShflMode mode, Value* b, Value* c) {
  return emit("shfl_in_range", b_.getInt1Ty(), {b_.getInt32(unsigned(mode)), b, c}, Warp);
}
Value* LaneLanguage::vote(VoteMode mode, Value* predicate, Value* mask) {
  Type* t = mode == VoteMode::Ballot ? static_cast<Type*>(b_.getInt32Ty()) : b_.getInt1Ty();
  return emit("vote", t, {b_.getInt32(unsigned(mode)), predicate, mask}, Warp);
}
Value* LaneLanguage::active_mask() { return emit("active_mask", b_.getInt32Ty(), {}, Warp); }

Value* LaneLanguage::helper(std::string_view name, Type* result, ArrayRef<Value*> args) {
  // The name is one component of the function name: "tg.helper.<name>...".
  std::string full = "helper." + std::string(name);
  return emit(full, result, args, Warp);
}

Value* LaneLanguage::undefined_load(Type* element, unsigned count, Type* origin, Value* address, AccessDesc desc,
                                    uint32_t site) {
  std::vector<Type*> results(count, element);
  results.resize(2 * size_t(count), origin);
  return emit("undefined_load", StructType::get(b_.getContext(), results),
              {address, b_.getInt32(desc.encode()), b_.getInt32(site)}, Memory);
}
void LaneLanguage::undefined_use(Value* origin, uint32_t use, Value* site) {
  emit("undefined_use", b_.getVoidTy(), {origin, b_.getInt32(use), site}, Memory);
}

void LaneLanguage::call(uint32_t function, Value* target, ArrayRef<Value*> args, uint32_t site) {
  std::vector<Value*> all{b_.getInt32(function), target ? target : b_.getInt64(0), b_.getInt32(site)};
  all.insert(all.end(), args.begin(), args.end());
  emit("call", b_.getVoidTy(), all, Warp);
}
Value* LaneLanguage::call_arg(uint32_t index) { return emit("call_arg", b_.getInt64Ty(), {b_.getInt32(index)}, Warp); }

uint32_t immediate(const CallInst& call, unsigned index) {
  return uint32_t(cast<ConstantInt>(call.getArgOperand(index))->getZExtValue());
}

unsigned access_operand(const CallInst& call) { return lane_op(call) == "atom" ? 2 : 1; }

AccessDesc access_of(const CallInst& call) { return AccessDesc::decode(immediate(call, access_operand(call))); }

void set_access(CallInst& call, AccessDesc desc) {
  Value* old = call.getArgOperand(access_operand(call));
  call.setArgOperand(access_operand(call), ConstantInt::get(old->getType(), desc.encode()));
}

} // namespace tollgate::simd
