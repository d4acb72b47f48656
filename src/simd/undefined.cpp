#include "simd/undefined.h"

#include "simd/lane_language.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <optional>

namespace tollgate::simd {

using namespace llvm;

namespace {

enum class ValueUse : uint32_t { Branch, Address, Store, Atomic }; // observe::ValueUse

// What an instruction does with the missing bits of its operands.
enum class Effect : uint8_t {
  None,    // nothing is followed through it
  Source,  // brings missing bits from memory
  Choose,  // phi, select, freeze
  Cast,    // trunc, extensions, bitcasts
  Logic,   // and, or, xor
  Move,    // shifts, rotations, reversals
  Shuffle, // tg.shfl
  Compute, // everything else
};

AtomOp atom_op(const CallInst& call) { return AtomOp(immediate(call, 1)); }

bool is_source_load(const Instruction& inst) {
  if (lane_op(inst) != "ld" || inst.use_empty()) return false;
  const AccessDesc desc = access_of(cast<CallInst>(inst));
  return !desc.written && desc.space != kSpaceConst && desc.space != kSpaceParam;
}

Effect effect_of(const Instruction& inst) {
  if (auto* extract = dyn_cast<ExtractValueInst>(&inst)) {
    auto* from = dyn_cast<Instruction>(extract->getAggregateOperand());
    return from && is_source_load(*from) ? Effect::Source : Effect::None;
  }
  if (inst.getType()->isAggregateType() || inst.getType()->isVoidTy()) return Effect::None;
  if (is_source_load(inst)) return Effect::Source;
  const auto op = lane_op(inst);
  if (op == "atom")
    return atom_op(cast<CallInst>(inst)) == AtomOp::Exch && !inst.use_empty() ? Effect::Source : Effect::None;
  if (op == "shfl") return Effect::Shuffle;
  if (op == "rt") return Effect::Compute;
  if (isa<PHINode, SelectInst, FreezeInst>(inst)) return Effect::Choose;
  switch (inst.getOpcode()) {
  case Instruction::Trunc:
  case Instruction::ZExt:
  case Instruction::SExt:
  case Instruction::BitCast: return Effect::Cast;
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor: return Effect::Logic;
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr: return Effect::Move;
  default: break;
  }
  if (auto* intrinsic = dyn_cast<IntrinsicInst>(&inst)) {
    switch (intrinsic->getIntrinsicID()) {
    case Intrinsic::fshl:
    case Intrinsic::fshr:
    case Intrinsic::bswap:
    case Intrinsic::bitreverse: return Effect::Move;
    default: return Effect::Compute;
    }
  }
  return isa<BinaryOperator, UnaryOperator, CastInst, CmpInst>(inst) ? Effect::Compute : Effect::None;
}

// The operands whose bits a value is made of. Others (a condition, a shift's distance) taint it as a whole.
bool is_data(const Instruction& inst, unsigned operand) {
  if (isa<SelectInst>(inst)) return operand != 0;
  if (lane_op(inst) == "shfl") return operand == 1;
  if (inst.isShift()) return operand == 0;
  if (auto* intrinsic = dyn_cast<IntrinsicInst>(&inst)) {
    const auto id = intrinsic->getIntrinsicID();
    if (id == Intrinsic::fshl || id == Intrinsic::fshr) return operand < 2;
  }
  return true;
}

// Compilers make `if (p) x += 1;` an addition of (p ? 1 : 0). The operand that is zero where nothing is meant to be
// added, or -1.
int may_add_nothing(const Instruction& inst) {
  if (inst.getOpcode() != Instruction::Add && inst.getOpcode() != Instruction::Sub) return -1;
  const auto is_choice = [](const Value* v) {
    if (auto* extended = dyn_cast<CastInst>(v)) return extended->getSrcTy()->isIntegerTy(1);
    auto* select = dyn_cast<SelectInst>(v);
    const auto zero = [](const Value* arm) { return isa<ConstantInt>(arm) && cast<ConstantInt>(arm)->isZero(); };
    return select && (zero(select->getTrueValue()) || zero(select->getFalseValue()));
  };
  if (is_choice(inst.getOperand(1))) return 1;
  return inst.getOpcode() == Instruction::Add && is_choice(inst.getOperand(0)) ? 0 : -1;
}

class Tracing {
public:
  explicit Tracing(Function& f) : f_(f), b_(f.getContext()), lanes_(b_, *f.getParent()) {}

  void run() {
    find_facts();
    if (values_.empty() && memory_.empty()) return;
    origin_type_ = b_.getIntNTy(last_site_ < 255 ? 8 : last_site_ < 65535 ? 16 : 32);
    make_phis();
    std::vector<Instruction*> order; // each behind its operands
    for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&f_))
      for (Instruction& inst : *block) order.push_back(&inst);
    for (Instruction* inst : order) visit(inst);
    for (Instruction* inst : values_)
      if (auto* phi = dyn_cast<PHINode>(inst)) fill_phi(phi);
    for (Instruction* element : elements_)
      if (element->use_empty()) element->eraseFromParent();
  }

private:
  static constexpr int64_t kNowhere = -1, kManyPlaces = -2;
  // What can be said of a value before the program runs.
  struct Facts {
    bool missing = false, tainted = false;
    int64_t origin = kNowhere; // of missing bits: the one load's site + 1
    bool operator==(const Facts&) const = default;
    [[nodiscard]] bool any() const { return missing || tainted; }
  };
  // What is known while it runs; null: nothing of the kind can be.
  struct Shadow {
    Value* missing = nullptr;  // the bits that were never written, as an integer
    Value* origin = nullptr;   // where they were loaded (site + 1), as all below in origin_type_
    Value* taint = nullptr;    // where the value that it was computed from was loaded; 0: it is defined
    Value* anywhere = nullptr; // of either kind
  };

  // --- facts --------------------------------------------------------------------------------------------------------
  static int64_t join(int64_t a, int64_t b) {
    if (a == kNowhere) return b;
    return b == kNowhere || a == b ? a : kManyPlaces;
  }
  Facts facts(const Value* v) const {
    auto it = facts_.find(v);
    return it == facts_.end() ? Facts{} : it->second;
  }
  static uint32_t site_of(const Instruction& inst) {
    auto* from = isa<ExtractValueInst>(inst) ? cast<CallInst>(inst.getOperand(0)) : cast<CallInst>(&inst);
    const unsigned index = lane_op(*from) == "atom" ? 3 : 2;
    return uint32_t(cast<ConstantInt>(from->getArgOperand(index))->getZExtValue());
  }
  Facts derive(const Instruction& inst) const {
    const Effect effect = effect_of(inst);
    Facts out;
    if (effect == Effect::Source) return {true, false, int64_t(site_of(inst)) + 1};
    const int choice = may_add_nothing(inst);
    for (unsigned i = 0; i < inst.getNumOperands(); ++i) {
      const Facts from = facts(inst.getOperand(i));
      if (!from.any()) continue;
      if (choice >= 0 && int(i) != choice && from.missing) {
        out.missing = true;
        out.origin = join(out.origin, from.origin);
      }
      if (effect == Effect::Compute || !is_data(inst, i)) {
        out.tainted = true;
        continue;
      }
      out.missing |= from.missing;
      out.tainted |= from.tainted;
      if (from.missing) out.origin = join(out.origin, from.origin);
    }
    return out;
  }

  void find_facts() {
    for (Instruction& inst : instructions(f_)) {
      const auto op = lane_op(inst);
      if (op == "st" || op == "atom" || (op == "ld" && is_source_load(inst))) {
        memory_.insert(&inst);
        last_site_ = std::max(last_site_, site_of(inst));
      }
      if (effect_of(inst) == Effect::Source) values_.insert(&inst);
    }
    bool changed = true;
    for (Instruction* inst : values_) facts_[inst] = derive(*inst);
    while (changed) {
      changed = false;
      for (size_t i = 0; i < values_.size(); ++i)
        for (User* user : values_[i]->users()) {
          auto* inst = cast<Instruction>(user);
          const Effect effect = effect_of(*inst);
          if (effect == Effect::None || effect == Effect::Source) continue;
          const Facts now = derive(*inst);
          if (now == facts(inst)) continue;
          facts_[inst] = now;
          values_.insert(inst);
          changed = true;
        }
    }
  }

  // --- shadows ------------------------------------------------------------------------------------------------------
  Value* origin_at(uint32_t site_plus_1) { return ConstantInt::get(origin_type_, site_plus_1); }
  Value* nowhere() { return origin_at(0); }
  Type* bits_type(Type* type) { return b_.getIntNTy(unsigned(type->getPrimitiveSizeInBits().getFixedValue())); }
  Value* no_bits(Type* type) { return Constant::getNullValue(bits_type(type)); }
  Shadow shadow(Value* v) const {
    auto it = shadows_.find(v);
    return it == shadows_.end() ? Shadow{} : it->second;
  }
  Value* as_bits(Value* v) { return v->getType()->isIntegerTy() ? v : b_.CreateBitCast(v, bits_type(v->getType())); }
  Value* missing(Value* v) {
    Value* m = shadow(v).missing;
    return m ? m : no_bits(v->getType());
  }
  Value* either(Value* a, Value* b) {
    if (!a || a == b) return b;
    if (!b) return a;
    return b_.CreateBinaryIntrinsic(Intrinsic::umax, a, b);
  }
  Value* where_missing(Value* bits, Value* origin) {
    return b_.CreateSelect(b_.CreateICmpNE(bits, Constant::getNullValue(bits->getType())), origin, nowhere());
  }

  // Whether somebody asks for the value as a whole rather than for its bits.
  static bool is_used_whole(const Instruction& inst) {
    return any_of(inst.uses(), [](const Use& use) {
      auto* user = cast<Instruction>(use.getUser());
      if (isa<BranchInst>(user)) return true;
      const auto op = lane_op(*user);
      if (op == "st") return use.getOperandNo() == 0;
      if (op == "ld" || op == "atom") return true;
      const Effect effect = effect_of(*user);
      return effect == Effect::Compute || (effect != Effect::None && !is_data(*user, use.getOperandNo()));
    });
  }

  void keep(Instruction* inst, Shadow s) {
    if (!s.missing && !s.taint) return;
    if (!s.anywhere && is_used_whole(*inst))
      s.anywhere = either(s.taint, s.missing ? where_missing(s.missing, s.origin) : nullptr);
    shadows_[inst] = s;
  }

  void make_phis() {
    for (Instruction* inst : values_) {
      auto* phi = dyn_cast<PHINode>(inst);
      if (!phi) continue;
      const Facts known = facts(phi);
      b_.SetInsertPoint(phi);
      const unsigned n = phi->getNumIncomingValues();
      Shadow s;
      if (known.missing) {
        s.missing = b_.CreatePHI(bits_type(phi->getType()), n);
        s.origin = known.origin >= 0 ? origin_at(uint32_t(known.origin)) : b_.CreatePHI(origin_type_, n);
      }
      if (known.tainted) s.taint = b_.CreatePHI(origin_type_, n);
      b_.SetInsertPoint(phi->getParent(), phi->getParent()->getFirstInsertionPt());
      keep(phi, s);
    }
  }

  void fill_phi(PHINode* phi) {
    const Shadow s = shadow(phi);
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
      Value* in = phi->getIncomingValue(i);
      BasicBlock* from = phi->getIncomingBlock(i);
      const Shadow theirs = shadow(in);
      if (s.missing) cast<PHINode>(s.missing)->addIncoming(missing(in), from);
      if (auto* origin = dyn_cast_or_null<PHINode>(s.origin))
        origin->addIncoming(theirs.origin ? theirs.origin : nowhere(), from);
      if (s.taint) cast<PHINode>(s.taint)->addIncoming(theirs.taint ? theirs.taint : nowhere(), from);
    }
  }

  void visit(Instruction* inst) {
    if (auto* branch = dyn_cast<BranchInst>(inst)) {
      if (branch->isConditional()) tell(inst, branch->getCondition(), ValueUse::Branch, b_.getInt32(0));
      return;
    }
    if (memory_.contains(inst)) visit_access(cast<CallInst>(inst));
    if (isa<PHINode>(inst) || !values_.contains(inst) || effect_of(*inst) == Effect::Source) return;
    b_.SetInsertPoint(inst->getNextNode());
    keep(inst, shadow_of_result(inst));
  }

  Shadow shadow_of_result(Instruction* inst) {
    Shadow s;
    const Effect effect = effect_of(*inst);
    if (effect == Effect::Compute) {
      s.taint = taint_of_result(inst);
      if (facts(inst).missing) let_pass(inst, s);
      return s;
    }
    const Facts known = facts(inst);
    if (known.missing) {
      s.missing = missing_of_result(inst);
      s.origin = origin_of_result(inst, known);
    }
    if (known.tainted) s.taint = taint_of_moved(inst);
    if (isa<BitCastInst, ZExtInst, SExtInst, FreezeInst>(inst)) // none of its bits is lost
      s.anywhere = shadow(inst->getOperand(0)).anywhere;
    return s;
  }

  // Where nothing is added the value stays what it was.
  void let_pass(Instruction* inst, Shadow& s) {
    const int choice = may_add_nothing(*inst);
    Value *other = inst->getOperand(unsigned(choice)), *value = inst->getOperand(1 - unsigned(choice));
    Value* nothing = b_.CreateICmpEQ(other, Constant::getNullValue(other->getType()));
    const Shadow from = shadow(value), its = shadow(other);
    if (its.anywhere) nothing = b_.CreateAnd(nothing, b_.CreateICmpEQ(its.anywhere, nowhere()));
    s.missing = b_.CreateSelect(nothing, from.missing, no_bits(inst->getType()));
    s.origin = from.origin;
    s.taint = b_.CreateSelect(nothing, from.taint ? from.taint : nowhere(), s.taint);
  }

  // A comparison with a constant is often made from one of a part of the value: it is undefined if the missing bits
  // can change its outcome.
  Value* taint_of_result(Instruction* inst) {
    if (auto* cmp = dyn_cast<ICmpInst>(inst); cmp && cmp->isRelational() && isa<Constant>(cmp->getOperand(1))) {
      const Shadow s = shadow(cmp->getOperand(0));
      if (s.missing && !s.taint) return taint_of_comparison(cmp, s);
    }
    Value* all = nullptr;
    for (Value* operand : inst->operands()) all = either(all, shadow(operand).anywhere);
    return all ? all : nowhere();
  }

  Value* taint_of_comparison(ICmpInst* cmp, const Shadow& s) {
    Value* x = cmp->getOperand(0);
    Value *low = b_.CreateAnd(x, b_.CreateNot(s.missing)), *high = b_.CreateOr(x, s.missing);
    if (cmp->isSigned()) {
      const unsigned bits = x->getType()->getIntegerBitWidth();
      Value* sign = b_.CreateAnd(s.missing, ConstantInt::get(x->getType(), APInt::getSignMask(bits)));
      low = b_.CreateOr(low, sign);
      high = b_.CreateAnd(high, b_.CreateNot(sign));
    }
    Value* limit = cmp->getOperand(1);
    Value* differs =
        b_.CreateXor(b_.CreateICmp(cmp->getPredicate(), low, limit), b_.CreateICmp(cmp->getPredicate(), high, limit));
    return b_.CreateSelect(differs, s.origin, nowhere());
  }

  Value* missing_of_result(Instruction* inst) {
    if (lane_op(*inst) == "shfl") return shuffle(cast<CallInst>(inst), missing(inst->getOperand(1)));
    if (auto* select = dyn_cast<SelectInst>(inst))
      return b_.CreateSelect(select->getCondition(), missing(select->getTrueValue()), missing(select->getFalseValue()));
    if (isa<FreezeInst>(inst)) return missing(inst->getOperand(0));
    if (auto* cast = dyn_cast<CastInst>(inst)) {
      Value* m = missing(cast->getOperand(0));
      return cast->getOpcode() == Instruction::BitCast ? m : b_.CreateCast(cast->getOpcode(), m, inst->getType());
    }
    if (auto* intrinsic = dyn_cast<IntrinsicInst>(inst)) {
      SmallVector<Value*, 3> args;
      for (unsigned i = 0; i < intrinsic->arg_size(); ++i)
        args.push_back(is_data(*inst, i) ? missing(intrinsic->getArgOperand(i)) : intrinsic->getArgOperand(i));
      return b_.CreateCall(intrinsic->getCalledFunction(), args);
    }
    Value *x = inst->getOperand(0), *y = inst->getOperand(1);
    if (inst->isShift()) return b_.CreateBinOp(cast<BinaryOperator>(inst)->getOpcode(), missing(x), y);
    return missing_of_logic(inst->getOpcode(), x, y);
  }

  // A written 0 decides an `and`, a written 1 an `or`.
  Value* missing_of_logic(unsigned opcode, Value* x, Value* y) {
    Value *mx = shadow(x).missing, *my = shadow(y).missing;
    auto let_through = [&](Value* m, Value* other) {
      if (opcode == Instruction::Xor) return m;
      return b_.CreateAnd(m, opcode == Instruction::And ? other : b_.CreateNot(other));
    };
    if (!my) return let_through(mx, y);
    if (!mx) return let_through(my, x);
    return b_.CreateOr(b_.CreateAnd(mx, my), b_.CreateOr(let_through(mx, y), let_through(my, x)));
  }

  Value* origin_of_result(Instruction* inst, const Facts& known) {
    if (known.origin >= 0) return origin_at(uint32_t(known.origin));
    if (auto* select = dyn_cast<SelectInst>(inst)) {
      auto of = [&](Value* v) { return shadow(v).origin ? shadow(v).origin : nowhere(); };
      return b_.CreateSelect(select->getCondition(), of(select->getTrueValue()), of(select->getFalseValue()));
    }
    if (lane_op(*inst) == "shfl") return shuffle(cast<CallInst>(inst), shadow(inst->getOperand(1)).origin);
    Value* all = nullptr;
    for (unsigned i = 0; i < inst->getNumOperands(); ++i) {
      if (!is_data(*inst, i)) continue;
      const Shadow s = shadow(inst->getOperand(i));
      if (s.missing) all = either(all, where_missing(s.missing, s.origin));
    }
    return all;
  }

  Value* taint_of_moved(Instruction* inst) {
    if (lane_op(*inst) == "shfl") {
      Value* taint = shadow(inst->getOperand(1)).taint;
      return taint ? shuffle(cast<CallInst>(inst), taint) : nowhere();
    }
    auto of = [&](Value* v) { return shadow(v).taint ? shadow(v).taint : nowhere(); };
    if (auto* select = dyn_cast<SelectInst>(inst)) {
      Value *yes = of(select->getTrueValue()), *no = of(select->getFalseValue());
      Value* chosen = yes == no ? yes : b_.CreateSelect(select->getCondition(), yes, no);
      return either(shadow(select->getCondition()).anywhere, chosen);
    }
    const unsigned opcode = inst->getOpcode();
    if (opcode == Instruction::And || opcode == Instruction::Or) {
      Value *x = inst->getOperand(0), *y = inst->getOperand(1);
      Value* decides =
          opcode == Instruction::Or ? Constant::getAllOnesValue(x->getType()) : Constant::getNullValue(x->getType());
      auto unless = [&](Value* v, Value* other) -> Value* { // the other side is defined and decides
        if (!shadow(v).taint) return nullptr;
        Value* lets = b_.CreateICmpNE(other, decides);
        const Shadow s = shadow(other);
        if (s.taint) lets = b_.CreateOr(lets, b_.CreateICmpNE(s.taint, nowhere()));
        return b_.CreateSelect(lets, shadow(v).taint, nowhere());
      };
      return either(unless(x, y), unless(y, x));
    }
    Value* all = nullptr;
    for (unsigned i = 0; i < inst->getNumOperands(); ++i) {
      const Shadow s = shadow(inst->getOperand(i));
      all = either(all, is_data(*inst, i) ? s.taint : s.anywhere);
    }
    return all ? all : nowhere();
  }

  Value* shuffle(CallInst* like, Value* value) { // (mode, value, b, c, mask, site)
    const auto mode = ShflMode(cast<ConstantInt>(like->getArgOperand(0))->getZExtValue());
    Value* moved = lanes_.shfl(mode, b_.CreateZExt(value, b_.getInt32Ty()), like->getArgOperand(2),
                               like->getArgOperand(3), like->getArgOperand(4), 0);
    return b_.CreateTrunc(moved, value->getType());
  }

  // --- accesses -----------------------------------------------------------------------------------------------------
  void tell(Instruction* user, Value* value, ValueUse use, Value* site) {
    b_.SetInsertPoint(user);
    tell(shadow(value).anywhere, user, use, site);
  }
  void tell(Value* origin, Instruction* user, ValueUse use, Value* site) {
    if (!origin || origin == nowhere()) return;
    // One finding is enough where several accesses of a block use one address.
    if (use == ValueUse::Address && !told_.insert({origin, user->getParent()}).second) return;
    lanes_.undefined_use(origin, uint32_t(use), site);
  }

  void visit_access(CallInst* call) { // (address, [op,] access, site, values...)
    const auto op = lane_op(*call);
    const unsigned info = access_operand(*call);
    AccessDesc desc = access_of(*call);
    if (desc.space == kSpaceConst || desc.space == kSpaceParam) return;
    Value* site = call->getArgOperand(info + 1);
    tell(call, call->getArgOperand(0), ValueUse::Address, site);
    const auto number = uint32_t(cast<ConstantInt>(site)->getZExtValue());
    if (op == "ld") {
      visit_load(call, desc, number);
    } else if (op == "st") {
      visit_store(call, desc.of_written_bits(), number);
    } else {
      visit_atomic(call, desc, number);
    }
  }

  // What of an access's bytes was never written: of each element its bits, and where it was loaded if there are any.
  std::vector<Shadow> undefined_load(Type* element, unsigned count, CallInst* call, AccessDesc desc, uint32_t site) {
    desc.bytes = uint8_t(element->getIntegerBitWidth() / 8);
    Value* lost = lanes_.undefined_load(element, count, origin_type_, call->getArgOperand(0), desc, site);
    std::vector<Shadow> elements;
    for (unsigned i = 0; i < count; ++i)
      elements.push_back(
          {b_.CreateExtractValue(lost, i), origin_at(site + 1), nullptr, b_.CreateExtractValue(lost, count + i)});
    return elements;
  }

  void visit_load(CallInst* call, const AccessDesc& desc, uint32_t site) {
    auto* array = dyn_cast<ArrayType>(call->getType());
    Type* element = array ? array->getElementType() : call->getType();
    const unsigned count = array ? unsigned(array->getNumElements()) : 1;
    b_.SetInsertPoint(call->getNextNode());
    const std::vector<Shadow> elements = undefined_load(element, count, call, desc, site);
    if (!array) return keep(call, elements[0]);
    for (User* user : call->users())
      if (auto* extract = dyn_cast<ExtractValueInst>(user)) keep(extract, elements[extract->getIndices()[0]]);
  }

  // A value that was computed from missing bits is told here, and counts as written from now on.
  void visit_store(CallInst* call, const AccessDesc& bits, uint32_t site) {
    b_.SetInsertPoint(call);
    Value* taint = nullptr;
    for (unsigned i = 3; i < call->arg_size(); ++i) taint = either(taint, shadow(call->getArgOperand(i)).taint);
    tell(taint, call, ValueUse::Store, b_.getInt32(site));
    b_.SetInsertPoint(call->getNextNode());
    SmallVector<Value*, 4> written;
    for (unsigned i = 3; i < call->arg_size(); ++i) written.push_back(b_.CreateNot(missing(call->getArgOperand(i))));
    lanes_.store(written, call->getArgOperand(0), bits, site);
  }

  // An exchange looks at nothing: what it brings may be undefined as what a load brings may. All others update. Behind
  // the access, as everywhere: if it faults, that is the access's own doing.
  void visit_atomic(CallInst* call, AccessDesc desc, uint32_t site) {
    b_.SetInsertPoint(call->getNextNode());
    desc.kind = kKindAtomic;
    const Shadow lost = undefined_load(call->getType(), 1, call, desc, site)[0];
    Value* found = nullptr;
    for (unsigned i = 4; i < call->arg_size(); ++i) found = either(found, shadow(call->getArgOperand(i)).anywhere);
    if (atom_op(*call) != AtomOp::Exch) found = either(found, lost.anywhere);
    tell(found, call, ValueUse::Atomic, b_.getInt32(site));
    if (values_.contains(call)) keep(call, lost);
  }

  Function& f_;
  IRBuilder<> b_;
  LaneLanguage lanes_;
  SetVector<Instruction*> values_;     // with a shadow
  SetVector<Instruction*> memory_;     // accesses
  std::vector<Instruction*> elements_; // of what undefined_load brings
  DenseMap<const Value*, Facts> facts_;
  DenseMap<const Value*, Shadow> shadows_;
  DenseSet<std::pair<Value*, BasicBlock*>> told_;
  uint32_t last_site_ = 0;
  Type* origin_type_ = nullptr; // as narrow as the sites allow: 32 lanes of i8 are one register
};

} // namespace

void trace_undefined(Function& function) { Tracing(function).run(); }

} // namespace tollgate::simd
