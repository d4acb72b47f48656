// Integers that grow by a constant from lane to lane. Most addresses are such: a base plus four times the thread
// index. Knowing it, an access tests one flag instead of 32 addresses, and the 64-bit address vectors are never
// computed on the fast path.
//
// Strides are found once for the whole function (a phi is assumed to have the stride of its first input until another
// disagrees); the base, one scalar, is computed beside the vector. Where 32-bit arithmetic is widened to 64 bits the
// lanes must not wrap around: that is tested when running and becomes part of `ok`.
//
// A step of 0 that is not uniform when compiling is the thread's y or z, and what is computed of it: the same in all
// lanes of a warp whose x counts up without a break. Where blocks are known to be 16 or 8 wide all this holds of each
// row of lanes, and needs no test.
#include "ptx/module.h"
#include "simd/widener.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include <cstddef>

namespace tollgate::simd {

using namespace llvm;

namespace {

// a constant factor of shl or mul, by which a stride is multiplied
std::optional<int64_t> constant_factor(const Instruction* inst) {
  auto* c = dyn_cast<ConstantInt>(inst->getOperand(1));
  if (!c || c->getValue().getSignificantBits() > 32) return std::nullopt;
  if (inst->getOpcode() == Instruction::Mul) return c->getSExtValue();
  if (inst->getOpcode() == Instruction::Shl && c->getZExtValue() < 32) return int64_t(1) << c->getZExtValue();
  return std::nullopt;
}

bool adds(const Instruction* inst) {
  if (inst->getOpcode() == Instruction::Add) return true;
  auto* disjoint = dyn_cast<PossiblyDisjointInst>(inst);
  return disjoint && disjoint->isDisjoint();
}

// Operations of equal values that give equal values and cannot trap, whatever lane 0 holds.
bool keeps_equality(const Instruction* inst) {
  switch (inst->getOpcode()) {
  case Instruction::Mul:
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr:
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor: return true;
  default: return false;
  }
}

constexpr int64_t kMaxStride = 1 << 20;

} // namespace

void Widener::find_strides() {
  // Start optimistically; whenever a phi turns out irregular, everything is computed anew.
  for (bool again = true; again;) {
    again = false;
    strides_.clear();
    for (Region& r : regions_)
      for (Instruction& inst : *r.scalar)
        if (inst.getType()->isIntegerTy() && !uniform(&inst)) strides_[&inst] = compute_stride(&inst);
    for (Region& r : regions_)
      for (PHINode& phi : r.scalar->phis()) {
        if (!phi.getType()->isIntegerTy() || uniform(&phi) || !strides_[&phi]) continue;
        for (Value* v : phi.incoming_values())
          if (stride_of(v) != strides_[&phi] && irregular_.insert(&phi).second) again = true;
      }
  }
}

std::optional<int64_t> Widener::stride_of(const Value* v) const {
  if (!v->getType()->isIntegerTy() || v->getType()->isIntegerTy(1)) return std::nullopt;
  if (uniformity_->is_uniform(v)) return 0;
  auto it = strides_.find(v);
  return it == strides_.end() ? std::nullopt : it->second;
}

std::optional<int64_t> Widener::compute_stride(const Value* v) {
  if (!v->getType()->isIntegerTy() || v->getType()->isIntegerTy(1)) return std::nullopt;
  if (uniform(const_cast<Value*>(v))) return 0;
  if (auto it = strides_.find(v); it != strides_.end()) return it->second;
  strides_[v] = std::nullopt;
  auto* inst = cast<Instruction>(v);
  std::optional<int64_t> s;
  auto of = [&](unsigned i) { return compute_stride(inst->getOperand(i)); };
  if (auto* phi = dyn_cast<PHINode>(inst)) {
    // Lanes that came different ways need not be in line.
    if (irregular_.contains(phi) || uniformity_->is_divergent_join(phi->getParent())) return std::nullopt;
    // The first input in block order is the way into the loop.
    for (unsigned i = 0; i < phi->getNumIncomingValues() && !s; ++i)
      if (index_.lookup(phi->getIncomingBlock(i)) < index_.lookup(phi->getParent()))
        s = compute_stride(phi->getIncomingValue(i));
  } else if (isa<CallInst>(inst)) {
    if (!is_context_read(inst)) return std::nullopt;
    if (lane_op(*inst) == "sreg") {
      auto reg = ptx::SpecialReg(cast<ConstantInt>(cast<CallInst>(inst)->getArgOperand(0))->getZExtValue());
      if (reg == ptx::SpecialReg::TidX || reg == ptx::SpecialReg::Laneid) s = 1;
      if (reg == ptx::SpecialReg::TidY || reg == ptx::SpecialReg::TidZ) s = 0;
    }
  } else if (isa<BinaryOperator>(inst)) {
    if (adds(inst)) {
      auto a = of(0), b = of(1);
      if (a && b) s = *a + *b;
    } else if (inst->getOpcode() == Instruction::Sub) {
      auto a = of(0), b = of(1);
      if (a && b) s = *a - *b;
    } else if (keeps_equality(inst) && of(0) == 0 && of(1) == 0) {
      s = 0;
    } else if (auto factor = constant_factor(inst)) {
      if (auto a = of(0)) s = *a * *factor;
    }
  } else if (isa<TruncInst>(inst) || isa<ZExtInst>(inst) || isa<SExtInst>(inst) || isa<FreezeInst>(inst)) {
    unsigned from = inst->getOperand(0)->getType()->getIntegerBitWidth();
    if (from == 32 || from == 64) s = of(0);
  }
  if (s && (*s > kMaxStride || *s < -kMaxStride)) s.reset();
  return strides_[v] = s;
}

Value* Widener::both(Value* a, Value* b) {
  if (!a) return b;
  return b ? b_.CreateAnd(a, b) : a;
}

std::optional<Widener::Affine> Widener::affine(Value* v) {
  auto stride = stride_of(v);
  if (!stride) return std::nullopt;
  if (uniform(v)) return Affine{each_row(scalar(v)), 0, nullptr};
  if (auto it = made_.affine.find(v); it != made_.affine.end()) return it->second;
  auto* inst = cast<Instruction>(v);
  bool here = inst->getParent() == regions_[current_].scalar && !isa<PHINode>(inst);
  std::optional<Affine> a;
  if (here || is_rematerialised(inst)) {
    a = compute_affine(inst);
  } else if (resident_.contains(inst)) {
    a = line_of(inst, vec(inst));
  } else {
    AffineSlots& slots = affine_slots(inst, false);
    a = Affine{b_.CreateLoad(each_row(inst->getType()), slots.base), *stride, b_.CreateLoad(b_.getInt1Ty(), slots.ok)};
  }
  if (a) made_.affine[v] = *a;
  return a;
}

std::optional<Widener::Affine> Widener::compute_affine(Instruction* inst) {
  Affine out;
  out.stride = *stride_of(inst);
  if (isa<CallInst>(inst)) {
    auto reg = ptx::SpecialReg(cast<ConstantInt>(cast<CallInst>(inst)->getArgOperand(0))->getZExtValue());
    if (reg == ptx::SpecialReg::Laneid) {
      SmallVector<Constant*, kLanes> firsts;
      for (unsigned i = 0; i < rows(); ++i) firsts.push_back(ConstantInt::get(inst->getType(), i * options_.row));
      out.base = rows() == 1 ? firsts[0] : ConstantVector::get(firsts);
      return out;
    }
    const size_t field = reg == ptx::SpecialReg::TidY   ? offsetof(WarpContext, tid_y)
                         : reg == ptx::SpecialReg::TidZ ? offsetof(WarpContext, tid_z)
                                                        : offsetof(WarpContext, tid_x);
    if (rows() == 1) {
      out.base = b_.CreateZExtOrTrunc(load_warp(b_.getInt32Ty(), field), inst->getType());
      out.ok = b_.CreateICmpNE(load_warp(b_.getInt32Ty(), offsetof(WarpContext, tid_linear)), i32(0));
      return out;
    }
    Value* firsts = PoisonValue::get(each_row(b_.getInt32Ty()));
    for (unsigned i = 0; i < rows(); ++i) {
      Value* first = load_warp(b_.getInt32Ty(), field + size_t(i) * options_.row * sizeof(uint32_t));
      firsts = b_.CreateInsertElement(firsts, first, uint64_t(i));
    }
    out.base = b_.CreateZExtOrTrunc(firsts, each_row(inst->getType()));
    return out;
  }
  auto a = affine(inst->getOperand(0));
  if (!a) return std::nullopt;
  out.ok = a->ok;
  if (auto* binary = dyn_cast<BinaryOperator>(inst)) {
    auto b = affine(inst->getOperand(1));
    if (!b) return std::nullopt;
    out.ok = both(a->ok, b->ok);
    auto opcode = adds(inst) ? Instruction::Add : binary->getOpcode();
    out.base = b_.CreateBinOp(opcode, a->base, b->base);
    return out;
  }
  if (isa<FreezeInst>(inst)) {
    out.base = a->base;
    return out;
  }
  auto* convert = cast<CastInst>(inst);
  out.base = b_.CreateCast(convert->getOpcode(), a->base, each_row(inst->getType()));
  if (isa<TruncInst>(inst) || a->stride == 0) return out;
  // Widening: first and last lane on the same side of the wrap.
  const APInt span(a->base->getType()->getScalarSizeInBits(), uint64_t(a->stride * int64_t(options_.row - 1)), true);
  Value* last = b_.CreateAdd(a->base, each_row(b_.getInt(span)));
  bool is_signed = isa<SExtInst>(inst), up = a->stride > 0;
  Value* no_wrap = is_signed ? (up ? b_.CreateICmpSGE(last, a->base) : b_.CreateICmpSLE(last, a->base))
                             : (up ? b_.CreateICmpUGE(last, a->base) : b_.CreateICmpULE(last, a->base));
  out.ok = both(out.ok, rows() == 1 ? no_wrap : b_.CreateAndReduce(no_wrap));
  return out;
}

Widener::AffineSlots& Widener::affine_slots(const Value* v, bool phi_input) {
  AffineSlots& slots = (phi_input ? affine_phi_slots_ : affine_slots_)[v];
  if (!slots.base) {
    IRBuilder<> at(entry_, entry_->begin());
    slots.base = at.CreateAlloca(each_row(v->getType()));
    slots.ok = at.CreateAlloca(b_.getInt1Ty());
  }
  return slots;
}

void Widener::store_affine(const AffineSlots& slots, const std::optional<Affine>& a) {
  if (!a) {
    b_.CreateStore(b_.getFalse(), slots.ok);
    return;
  }
  b_.CreateStore(a->base, slots.base);
  b_.CreateStore(a->ok ? a->ok : b_.getTrue(), slots.ok);
}

// The lanes for which a comparison holds, found without comparing 32 lanes where `ok` says so. Null `lanes`: the
// comparison is of no such kind.
Widener::QuickCompare Widener::quick_compare(ICmpInst* compare) {
  auto predicate = compare->getPredicate();
  Value* x = compare->getOperand(0);
  Value* y = compare->getOperand(1);
  if (stride_of(x) == 0 && stride_of(y) == 0) { // all lanes or none
    auto a = affine(x), b = affine(y);
    if (!a || !b) return {};
    Value* holds = b_.CreateICmp(predicate, a->base, b->base);
    Value* lanes = rows() == 1 ? b_.CreateSelect(holds, i32(kAllLanes), i32(0)) : to_bits(spread_rows(holds));
    return {lanes, both(a->ok, b->ok)};
  }
  // x counts up by one from lane to lane and y is uniform.
  if (stride_of(x) == 0) {
    std::swap(x, y);
    predicate = ICmpInst::getSwappedPredicate(predicate);
  }
  if (rows() != 1 || stride_of(x) != 1 || !uniform(y) || x->getType()->getIntegerBitWidth() > 32) return {};
  auto a = affine(x);
  if (!a) return {};
  if (compare->isEquality()) { // at most one lane
    Value* lane = b_.CreateSub(scalar(y), a->base);
    Value* bit = b_.CreateShl(i32(1), b_.CreateZExtOrTrunc(lane, b_.getInt32Ty()));
    Value* equal = b_.CreateSelect(b_.CreateICmpULT(lane, ConstantInt::get(lane->getType(), kLanes)), bit, i32(0));
    return {predicate == ICmpInst::ICMP_EQ ? equal : b_.CreateNot(equal), a->ok};
  }
  // `x < y` and the like: a run of lanes whose end is found by one subtraction.
  bool is_signed = ICmpInst::isSigned(predicate);
  Type* i64_type = b_.getInt64Ty();
  auto widen = [&](Value* v) { return is_signed ? b_.CreateSExt(v, i64_type) : b_.CreateZExt(v, i64_type); };
  Value* last = b_.CreateAdd(a->base, ConstantInt::get(x->getType(), kLanes - 1));
  Value* no_wrap = is_signed ? b_.CreateICmpSGE(last, a->base) : b_.CreateICmpUGE(last, a->base);
  // x < y for the first `run` lanes; x <= y for one more.
  Value* run = b_.CreateSub(widen(scalar(y)), widen(a->base));
  bool inclusive = predicate == ICmpInst::ICMP_ULE || predicate == ICmpInst::ICMP_SLE ||
                   predicate == ICmpInst::ICMP_UGT || predicate == ICmpInst::ICMP_SGT;
  if (inclusive) run = b_.CreateAdd(run, i64(1));
  run = b_.CreateBinaryIntrinsic(Intrinsic::smax, run, i64(0));
  run = b_.CreateBinaryIntrinsic(Intrinsic::smin, run, i64(kLanes));
  Value* below = b_.CreateTrunc(b_.CreateSub(b_.CreateShl(i64(1), run), i64(1)), b_.getInt32Ty());
  bool above = predicate == ICmpInst::ICMP_UGT || predicate == ICmpInst::ICMP_SGT || predicate == ICmpInst::ICMP_UGE ||
               predicate == ICmpInst::ICMP_SGE;
  return {above ? b_.CreateNot(below) : below, both(a->ok, no_wrap)};
}

// The lanes of mask_ for which `condition` holds, if that can be had without comparing all of them; otherwise null.
Value* Widener::compare_in_line(Value* condition) {
  auto* compare = dyn_cast<ICmpInst>(condition);
  if (!compare || uniform(compare)) return nullptr;
  bool here = compare->getParent() == regions_[current_].scalar;
  if (!here && !is_rematerialised(compare)) return nullptr;
  auto [quick, ok] = quick_compare(compare);
  if (!quick) return nullptr;
  if (!ok) return b_.CreateAnd(quick, mask_);

  Block* from = b_.GetInsertBlock();
  Block* slow = Block::Create(context_, "compare.lanes", step_);
  Block* done = Block::Create(context_, "compared", step_);
  branch_likely(ok, done, slow);
  const Made before = made_;
  b_.SetInsertPoint(slow);
  Value* slowly = to_bits(vec(condition));
  Block* slow_end = b_.GetInsertBlock();
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  made_ = before;
  PHINode* lanes = b_.CreatePHI(b_.getInt32Ty(), 2);
  lanes->addIncoming(quick, from);
  lanes->addIncoming(slowly, slow_end);
  return b_.CreateAnd(lanes, mask_);
}

// After a stop only the vector is there: its lanes are compared.
Widener::Affine Widener::line_of(Instruction* inst, Value* vector) {
  int64_t stride = *stride_of(inst);
  SmallVector<Constant*, kLanes> steps;
  for (unsigned i = 0; i < kLanes; ++i)
    steps.push_back(ConstantInt::getSigned(inst->getType(), stride * int64_t(i % options_.row)));
  Affine a;
  a.stride = stride;
  SmallVector<int, kLanes> firsts;
  for (unsigned i = 0; i < rows(); ++i) firsts.push_back(int(i * options_.row));
  a.base = rows() == 1 ? b_.CreateExtractElement(vector, uint64_t(0)) : b_.CreateShuffleVector(vector, firsts);
  Value* expected = b_.CreateAdd(spread_rows(a.base), ConstantVector::get(steps));
  Value* difference = b_.CreateOrReduce(b_.CreateXor(vector, expected));
  a.ok = b_.CreateICmpEQ(difference, Constant::getNullValue(inst->getType()));
  return a;
}

Value* Widener::spread_rows(Value* v) {
  if (rows() == 1) return splat(v);
  SmallVector<int, kLanes> picks;
  for (unsigned lane = 0; lane < kLanes; ++lane) picks.push_back(int(lane / options_.row));
  return b_.CreateShuffleVector(v, picks);
}

// Pure arithmetic of one block is emitted where its value is asked for: an address that is only needed lane by lane
// is then computed on the slow path alone.
bool Widener::is_deferred(const Value* v) const {
  auto* inst = dyn_cast<Instruction>(v);
  if (!inst || inst->getParent() != regions_[current_].scalar || uniformity_->is_uniform(inst)) return false;
  bool comparison = isa<ICmpInst>(inst) && (stride_of(inst->getOperand(0)) || stride_of(inst->getOperand(1)));
  if (!isa<BinaryOperator>(inst) && !isa<CastInst>(inst) && !comparison) return false;
  if (!comparison && !strides_.lookup(inst)) return false;
  return all_of(inst->users(), [&](const User* u) {
    auto* user = cast<Instruction>(u);
    return user->getParent() == inst->getParent() && !isa<PHINode>(user);
  });
}

} // namespace tollgate::simd
