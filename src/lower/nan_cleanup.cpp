// Removes canonical-NaN selects that nobody can see the effect of.
#include "lower/arithmetic.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

namespace tollgate::lower {
namespace {

using namespace llvm::PatternMatch;

// The x of select(isnan(x), 0x7fffffff, x), in either form that InstCombine leaves; null for anything else.
llvm::Value* canonicalised_value(llvm::SelectInst& select) {
  auto* compare = llvm::dyn_cast<llvm::FCmpInst>(select.getCondition());
  if (!compare) return nullptr;
  const bool on_nan = compare->getPredicate() == llvm::FCmpInst::FCMP_UNO;
  if (!on_nan && compare->getPredicate() != llvm::FCmpInst::FCMP_ORD) return nullptr;
  llvm::Value* constant = on_nan ? select.getTrueValue() : select.getFalseValue();
  llvm::Value* value = on_nan ? select.getFalseValue() : select.getTrueValue();
  auto* nan = llvm::dyn_cast<llvm::ConstantFP>(constant);
  if (!nan || !nan->getType()->isFloatTy() || !nan->isNaN()) return nullptr;
  const bool self = compare->getOperand(0) == value && compare->getOperand(1) == value;
  const bool against_zero = compare->getOperand(0) == value && match(compare->getOperand(1), m_AnyZeroFP());
  return self || against_zero ? value : nullptr;
}

// Whether a user's result is the same for every NaN it is given, up to the NaN it returns: then its own select, or its
// own user, decides what is seen.
bool ignores_payload(const llvm::User* user) {
  if (llvm::isa<llvm::FCmpInst>(user)) return true;
  if (const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(user)) return operation->getType()->isFloatTy();
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(user)) {
    const auto id = call->getIntrinsicID();
    return id == llvm::Intrinsic::fma || id == llvm::Intrinsic::sqrt;
  }
  return false;
}

// Follows the value through phis and through selects that only carry it; every end must ignore the payload. The results
// of arithmetic need no look of their own: each f32 operation that lowering wrote has its select behind it.
bool payload_is_unseen(llvm::SelectInst& select) {
  llvm::SmallVector<llvm::Value*, 8> work{&select};
  llvm::SmallPtrSet<llvm::Value*, 8> seen{&select};
  while (!work.empty()) {
    llvm::Value* value = work.pop_back_val();
    for (llvm::User* user : value->users()) {
      const bool carries =
          llvm::isa<llvm::PHINode>(user) ||
          (llvm::isa<llvm::SelectInst>(user) && llvm::cast<llvm::SelectInst>(user)->getCondition() != value);
      if (carries) {
        if (auto* other = llvm::dyn_cast<llvm::SelectInst>(user); other && canonicalised_value(*other) == value)
          continue;
        if (seen.insert(user).second) work.push_back(user);
      } else if (!ignores_payload(user)) {
        return false;
      }
    }
  }
  return true;
}

} // namespace

unsigned drop_unseen_nan_selects(llvm::Function& function) {
  llvm::SmallVector<std::pair<llvm::SelectInst*, llvm::Value*>, 32> found;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction);
    if (!select) continue;
    if (llvm::Value* value = canonicalised_value(*select); value && payload_is_unseen(*select))
      found.push_back({select, value});
  }
  for (auto [select, value] : found) {
    // A value may itself have been such a select that went before.
    while (auto* inner = llvm::dyn_cast<llvm::SelectInst>(value)) {
      auto gone = std::find_if(found.begin(), found.end(), [&](auto& entry) { return entry.first == inner; });
      if (gone == found.end()) break;
      value = gone->second;
    }
    select->replaceAllUsesWith(value);
  }
  for (auto [select, value] : found) select->eraseFromParent();
  return static_cast<unsigned>(found.size());
}

} // namespace tollgate::lower
