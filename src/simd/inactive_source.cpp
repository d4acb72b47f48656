#include "simd/inactive_source.h"

#include "simd/lane_language.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace tollgate::simd {

using namespace llvm;

namespace {

enum class ValueUse : uint32_t { Branch, Address, Store, Atomic }; // observe::ValueUse

bool is_shuffle(const Instruction& inst) { return lane_op(inst) == "shfl"; }

class Tracing {
public:
  explicit Tracing(Function& f) : f_(f), b_(f.getContext()), lanes_(b_, *f.getParent()) {}

  void run() {
    collect();
    if (users_.empty()) return;
    for (Instruction* inst : values_)
      if (auto* phi = dyn_cast<PHINode>(inst)) {
        b_.SetInsertPoint(phi);
        shadow_[phi] = b_.CreatePHI(b_.getInt32Ty(), phi->getNumIncomingValues());
      }
    std::vector<Instruction*> order; // each behind its operands
    for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&f_))
      for (Instruction& inst : *block)
        if (values_.contains(&inst) && !isa<PHINode>(inst)) order.push_back(&inst);
    for (Instruction* inst : order) {
      b_.SetInsertPoint(inst->getNextNode());
      shadow_[inst] = shadow_of_result(inst);
    }
    for (Instruction* inst : values_)
      if (auto* phi = dyn_cast<PHINode>(inst))
        for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
          cast<PHINode>(shadow_[phi])->addIncoming(shadow(phi->getIncomingValue(i)), phi->getIncomingBlock(i));
    for (Instruction* user : users_) tell(user);
  }

private:
  // What computes with its operands and nothing else.
  static bool passes_on(const Instruction& inst) {
    if (inst.getType()->isAggregateType() || inst.getType()->isVoidTy()) return false;
    if (isa<BinaryOperator, UnaryOperator, CastInst, CmpInst, SelectInst, PHINode, FreezeInst, IntrinsicInst>(inst))
      return true;
    return is_shuffle(inst) || lane_op(inst) == "rt";
  }

  void collect() {
    for (Instruction& inst : instructions(f_))
      if (is_shuffle(inst)) values_.insert(&inst);
    for (size_t i = 0; i < values_.size(); ++i)
      for (User* user : values_[i]->users()) {
        auto* inst = cast<Instruction>(user);
        const auto op = lane_op(*inst);
        if (passes_on(*inst))
          values_.insert(inst);
        else if (op == "st" || op == "ld" || op == "atom" || isa<BranchInst>(inst))
          users_.insert(inst);
      }
  }

  Value* none() { return b_.getInt32(0); }
  Value* shadow(Value* v) {
    auto* inst = dyn_cast<Instruction>(v);
    const auto known = inst ? shadow_.find(inst) : shadow_.end();
    return known == shadow_.end() ? none() : known->second;
  }
  Value* join(Value* a, Value* b) {
    if (a == none() || a == b) return b;
    if (b == none()) return a;
    return b_.CreateSelect(b_.CreateICmpNE(a, none()), a, b);
  }
  // `s` where `other` lets it through.
  Value* unless(Value* s, Value* other, Value* blocking) {
    return s == none() ? s : b_.CreateSelect(b_.CreateICmpEQ(other, blocking), none(), s);
  }

  Value* shadow_of_result(Instruction* inst) {
    if (is_shuffle(*inst)) return shadow_of_shuffle(cast<CallInst>(inst));
    if (auto* select = dyn_cast<SelectInst>(inst)) {
      Value* yes = shadow(select->getTrueValue());
      Value* no = shadow(select->getFalseValue());
      Value* chosen = yes == no ? yes : b_.CreateSelect(select->getCondition(), yes, no);
      return join(shadow(select->getCondition()), chosen);
    }
    const unsigned opcode = inst->getOpcode();
    if (opcode == Instruction::And || opcode == Instruction::Mul || opcode == Instruction::Or) {
      Value *x = inst->getOperand(0), *y = inst->getOperand(1);
      Value* blocking =
          opcode == Instruction::Or ? Constant::getAllOnesValue(x->getType()) : Constant::getNullValue(x->getType());
      Value *sx = shadow(x), *sy = shadow(y);
      // Two undefined operands: neither is known to block.
      if (sx != none() && sy != none()) {
        Value* both = b_.CreateAnd(b_.CreateICmpNE(sx, none()), b_.CreateICmpNE(sy, none()));
        return b_.CreateSelect(both, sx, join(unless(sx, y, blocking), unless(sy, x, blocking)));
      }
      return join(unless(sx, y, blocking), unless(sy, x, blocking));
    }
    Value* all = none();
    for (Value* operand : inst->operands()) all = join(all, shadow(operand));
    return all;
  }

  Value* shadow_of_shuffle(CallInst* call) { // (mode, value, b, c, mask, site)
    auto mode = call->getArgOperand(0), lane = call->getArgOperand(2), clamp = call->getArgOperand(3),
         mask = call->getArgOperand(4);
    Value* own =
        lanes_.helper("observe_inactive_source", b_.getInt32Ty(), {mode, lane, clamp, mask, call->getArgOperand(5)});
    Value* value = shadow(call->getArgOperand(1));
    if (value == none()) return own;
    const auto kind = ShflMode(cast<ConstantInt>(mode)->getZExtValue());
    return join(own, lanes_.shfl(kind, value, lane, clamp, mask, 0));
  }

  void tell(Instruction* user, Value* value, ValueUse use, Value* site, Value* address) {
    Value* s = shadow(value);
    if (s == none()) return;
    b_.SetInsertPoint(user);
    lanes_.helper("observe_inactive_use", b_.getVoidTy(), {s, b_.getInt32(uint32_t(use)), site, address});
  }

  void tell(Instruction* user) {
    Value* nowhere = b_.getInt64(0);
    if (auto* branch = dyn_cast<BranchInst>(user)) {
      if (branch->isConditional()) tell(user, branch->getCondition(), ValueUse::Branch, none(), nowhere);
      return;
    }
    auto* call = cast<CallInst>(user);
    const auto op = lane_op(*call);
    const unsigned info = access_operand(*call); // (address, [op,] access, site, values...)
    const AccessDesc access = access_of(*call);
    Value* site = call->getArgOperand(info + 1);
    Value* address = call->getArgOperand(0);
    tell(user, address, ValueUse::Address, site, nowhere);
    if (access.space == kSpaceLocal || access.space == kSpaceParam) return;
    Value* where = access.space == kSpaceShared ? nowhere : address;
    for (unsigned i = info + 2; i < call->arg_size(); ++i) {
      if (op == "atom" && i > info + 2 && call->getArgOperand(i) == call->getArgOperand(i - 1))
        break; // one operand, given twice
      tell(user, call->getArgOperand(i), op == "atom" ? ValueUse::Atomic : ValueUse::Store, site, where);
    }
  }

  Function& f_;
  IRBuilder<> b_;
  LaneLanguage lanes_;
  SetVector<Instruction*> values_; // that depend on a shuffle
  SetVector<Instruction*> users_;  // where they come out
  DenseMap<Instruction*, Value*> shadow_;
};

} // namespace

void trace_inactive_sources(Function& function) { Tracing(function).run(); }

} // namespace tollgate::simd
