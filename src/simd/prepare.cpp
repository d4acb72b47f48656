#include "simd/prepare.h"

#include "simd/guesses.h"
#include "simd/lane_language.h"
#include "simd/polling.h"

#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/MustExecute.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/BreakCriticalEdges.h>
#include <llvm/Transforms/Utils/FixIrreducible.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>

namespace tollgate::simd {

using namespace llvm;

namespace {

// One set of LLVM analysis managers, good for one function.
struct Passes {
  LoopAnalysisManager lam;
  FunctionAnalysisManager fam;
  CGSCCAnalysisManager cgam;
  ModuleAnalysisManager mam;
  PassBuilder pb;

  Passes() {
    pb.registerModuleAnalyses(mam);
    pb.registerCGSCCAnalyses(cgam);
    pb.registerFunctionAnalyses(fam);
    pb.registerLoopAnalyses(lam);
    pb.crossRegisterProxies(lam, fam, cgam, mam);
  }
  void run(Function& f, FunctionPassManager& fpm) { fpm.run(f, fam); }
};

FunctionPassManager cleaning() {
  FunctionPassManager fpm;
  fpm.addPass(SROAPass(SROAOptions::PreserveCFG));
  fpm.addPass(EarlyCSEPass(false));
  fpm.addPass(SimplifyCFGPass(SimplifyCFGOptions().convertSwitchRangeToICmp(false)));
  fpm.addPass(InstCombinePass());
  fpm.addPass(SimplifyCFGPass());
  fpm.addPass(EarlyCSEPass(false));
  fpm.addPass(ADCEPass());
  return fpm;
}

// Loops with several entries (gotos) get one. LLVM 19's pass crashes on some blocks that share an edge's end with
// another loop, hence the two passes before it.
FunctionPassManager single_entry_loops() {
  FunctionPassManager fpm;
  fpm.addPass(LoopSimplifyPass());
  fpm.addPass(BreakCriticalEdgesPass());
  fpm.addPass(FixIrreduciblePass());
  return fpm;
}

FunctionPassManager canonical_loops() {
  FunctionPassManager fpm;
  fpm.addPass(LoopSimplifyPass());
  fpm.addPass(LCSSAPass());
  return fpm;
}

// Rewrites private memory that SROA left (arrays with a variable index, addresses that escape) into accesses to the
// lane's local memory, at fixed offsets from tg.local_base.
class LocalMemory {
public:
  explicit LocalMemory(Function& f) : f_(f), b_(f.getContext()), lanes_(b_, *f.getParent()) {}

  uint64_t run() {
    std::vector<Instruction*> dead;
    for (Instruction& inst : instructions(f_)) {
      if (auto* a = dyn_cast<AllocaInst>(&inst)) place(a);
    }
    for (Instruction& inst : make_early_inc_range(instructions(f_))) {
      b_.SetInsertPoint(&inst);
      if (auto* l = dyn_cast<LoadInst>(&inst)) {
        rewrite_load(l);
      } else if (auto* s = dyn_cast<StoreInst>(&inst)) {
        rewrite_store(s);
      } else if (auto* p = dyn_cast<PtrToIntInst>(&inst)) {
        p->replaceAllUsesWith(b_.CreateZExtOrTrunc(address(p->getOperand(0)), p->getType()));
        p->eraseFromParent();
      }
    }
    // Pointer arithmetic without users left over.
    bool changed = true;
    while (changed) {
      changed = false;
      for (Instruction& inst : make_early_inc_range(instructions(f_)))
        if (inst.use_empty() && (isa<AllocaInst>(inst) || isa<GetElementPtrInst>(inst) || isa<IntToPtrInst>(inst) ||
                                 (isa<PHINode>(inst) && inst.getType()->isPointerTy()) ||
                                 (isa<SelectInst>(inst) && inst.getType()->isPointerTy()))) {
          inst.eraseFromParent();
          changed = true;
        }
    }
    return bytes_;
  }

private:
  void place(AllocaInst* a) {
    const DataLayout& dl = f_.getDataLayout();
    uint64_t size = dl.getTypeAllocSize(a->getAllocatedType());
    bytes_ = alignTo(bytes_, std::max(a->getAlign(), Align(8)));
    offset_[a] = bytes_;
    bytes_ += size;
  }

  // The i64 address that a pointer stands for.
  Value* address(Value* pointer) {
    if (auto* a = dyn_cast<AllocaInst>(pointer)) {
      Value* base = lanes_.local_base();
      uint64_t offset = offset_.at(a);
      return offset == 0 ? base : b_.CreateAdd(base, b_.getInt64(offset));
    }
    if (auto* g = dyn_cast<GEPOperator>(pointer)) {
      Value* base = address(g->getPointerOperand());
      APInt constant(64, 0);
      const DataLayout& dl = f_.getDataLayout();
      if (g->accumulateConstantOffset(dl, constant)) return b_.CreateAdd(base, b_.getInt64(constant.getZExtValue()));
      Type* type = g->getSourceElementType();
      Value* index = b_.CreateSExtOrTrunc(g->getOperand(1), b_.getInt64Ty());
      return b_.CreateAdd(base, b_.CreateMul(index, b_.getInt64(dl.getTypeAllocSize(type))));
    }
    if (auto* i = dyn_cast<IntToPtrInst>(pointer)) return b_.CreateZExtOrTrunc(i->getOperand(0), b_.getInt64Ty());
    if (auto* s = dyn_cast<SelectInst>(pointer))
      return b_.CreateSelect(s->getCondition(), address(s->getTrueValue()), address(s->getFalseValue()));
    if (auto* phi = dyn_cast<PHINode>(pointer)) return address_phi(phi);
    return b_.CreatePtrToInt(pointer, b_.getInt64Ty()); // null
  }

  Value* address_phi(PHINode* phi) {
    if (auto it = phis_.find(phi); it != phis_.end()) return it->second;
    IRBuilderBase::InsertPointGuard guard(b_);
    b_.SetInsertPoint(phi);
    PHINode* out = b_.CreatePHI(b_.getInt64Ty(), phi->getNumIncomingValues());
    phis_[phi] = out;
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
      b_.SetInsertPoint(phi->getIncomingBlock(i)->getTerminator());
      out->addIncoming(address(phi->getIncomingValue(i)), phi->getIncomingBlock(i));
    }
    return out;
  }

  AccessDesc describe(uint8_t kind, uint64_t bytes) {
    AccessDesc d;
    d.kind = kind;
    d.space = 3; // MemorySpace::Local
    d.bytes = uint8_t(bytes);
    d.observed = false;
    return d;
  }

  void rewrite_load(LoadInst* l) {
    Type* type = l->getType();
    Type* as = type->isIntegerTy() ? type : b_.getIntNTy(unsigned(type->getPrimitiveSizeInBits().getFixedValue()));
    unsigned bits = as->getIntegerBitWidth();
    Type* whole = b_.getIntNTy(std::max(8u, unsigned(alignTo(bits, 8))));
    Value* v =
        lanes_.load(whole, 1, address(l->getPointerOperand()), describe(0, whole->getIntegerBitWidth() / 8), 0)[0];
    v = b_.CreateTrunc(v, as);
    l->replaceAllUsesWith(b_.CreateBitCast(v, type));
    l->eraseFromParent();
  }

  void rewrite_store(StoreInst* s) {
    Value* v = s->getValueOperand();
    if (!v->getType()->isIntegerTy())
      v = b_.CreateBitCast(v, b_.getIntNTy(unsigned(v->getType()->getPrimitiveSizeInBits().getFixedValue())));
    unsigned bits = v->getType()->getIntegerBitWidth();
    Type* whole = b_.getIntNTy(std::max(8u, unsigned(alignTo(bits, 8))));
    v = b_.CreateZExt(v, whole);
    lanes_.store({v}, address(s->getPointerOperand()), describe(1, whole->getIntegerBitWidth() / 8), 0);
    s->eraseFromParent();
  }

  Function& f_;
  IRBuilder<> b_;
  LaneLanguage lanes_;
  DenseMap<AllocaInst*, uint64_t> offset_;
  DenseMap<PHINode*, Value*> phis_;
  uint64_t bytes_ = 0;
};

// A loop whose lanes may wait for what other threads do: it reads memory in a way that sees their writes.
bool reads_others(const Instruction& inst) {
  std::string_view op = lane_op(inst);
  auto* call = dyn_cast<CallInst>(&inst);
  if (op == "atom") return !inst.use_empty();
  if (op == "ld") {
    return access_of(*call).order != 0;
  }
  if (op == "helper") {
    StringRef name = call->getCalledFunction()->getName();
    return name.starts_with("tg.helper.mbarrier_test") || name.starts_with("tg.helper.nanosleep");
  }
  return op == "fence";
}

bool touches_global(const Instruction& inst) {
  std::string_view op = lane_op(inst);
  if (op != "ld" && op != "st" && op != "atom") return false;
  const uint8_t space = access_of(cast<CallInst>(inst)).space;
  return space == kSpaceGeneric || space == kSpaceGlobal;
}

// The comparison that decides whether a loop goes on, moved to its end: a warp that gives way before it then keeps
// operands that live on in any case, instead of 32 results, and finds counters in line where it resumes. Null where
// there is no such comparison.
Instruction* loop_comparison(BasicBlock& latch) {
  auto* branch = dyn_cast<BranchInst>(latch.getTerminator());
  if (!branch || !branch->isConditional()) return nullptr;
  auto* compare = dyn_cast<ICmpInst>(branch->getCondition());
  if (!compare || compare->getParent() != &latch || !compare->hasOneUse()) return nullptr;
  const bool operands_stay = all_of(compare->operands(), [&](const Value* v) {
    auto* inst = dyn_cast<Instruction>(v);
    return !inst || inst->getParent() != &latch || !inst->hasOneUse();
  });
  if (!operands_stay) return nullptr;
  compare->moveBefore(branch);
  return compare;
}

// Back-edges where a warp lets others run. A loop that waits for others parts with its lanes when its budget is spent;
// a loop that walks global memory gives way as a whole, so that the warps of a block touch neighbouring lines at
// about the same time; every other loop only looks whether the launch is being ended.
void insert_yields(Function& f, LoopInfo& loops) {
  IRBuilder<> b(f.getContext());
  LaneLanguage lanes(b, *f.getParent());
  for (Loop* loop : loops.getLoopsInPreorder()) {
    BasicBlock* latch = loop->getLoopLatch();
    if (!latch) continue;
    bool spins = mark_polled_loads(*loop), walks = false, meets = false;
    for (BasicBlock* block : loop->blocks())
      for (Instruction& inst : *block) {
        spins |= reads_others(inst);
        meets |= lane_op(inst) == "barrier";
        walks |= touches_global(inst) && loops.getLoopFor(block) == loop;
      }
    const uint32_t kind = spins ? 2 : walks && !meets ? 1 : 0;
    Instruction* compare = kind == 1 ? loop_comparison(*latch) : nullptr;
    b.SetInsertPoint(compare ? compare : latch->getTerminator());
    lanes.emit(kind == 0 ? "poll" : "yield", b.getVoidTy(), {b.getInt32(kind)}, 2);
  }
}

// InstCombine may merge the elements of two vector loads into one phi or select of whole aggregates; the widener knows
// elements only.
void split_aggregates(Function& f) {
  IRBuilder<> b(f.getContext());
  SmallVector<ExtractValueInst*, 16> work;
  for (Instruction& inst : instructions(f))
    if (auto* extract = dyn_cast<ExtractValueInst>(&inst)) work.push_back(extract);
  DenseMap<std::pair<Value*, unsigned>, Value*> made;
  while (!work.empty()) {
    ExtractValueInst* extract = work.pop_back_val();
    Value* aggregate = extract->getAggregateOperand();
    if (isa<CallInst>(aggregate)) continue;
    Value*& value = made[{aggregate, extract->getIndices()[0]}];
    if (!value) {
      auto element = [&](Value* from) {
        auto* v = b.CreateExtractValue(from, extract->getIndices());
        if (auto* e = dyn_cast<ExtractValueInst>(v)) work.push_back(e);
        return v;
      };
      if (auto* phi = dyn_cast<PHINode>(aggregate)) {
        b.SetInsertPoint(phi);
        PHINode* out = b.CreatePHI(extract->getType(), phi->getNumIncomingValues());
        value = out; // before its inputs: a loop may lead back here
        for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
          b.SetInsertPoint(phi->getIncomingBlock(i)->getTerminator());
          out->addIncoming(element(phi->getIncomingValue(i)), phi->getIncomingBlock(i));
        }
      } else if (auto* select = dyn_cast<SelectInst>(aggregate)) {
        b.SetInsertPoint(select);
        Value* yes = element(select->getTrueValue());
        Value* no = element(select->getFalseValue());
        value = b.CreateSelect(select->getCondition(), yes, no);
      } else if (auto* freeze = dyn_cast<FreezeInst>(aggregate)) {
        b.SetInsertPoint(freeze);
        value = b.CreateFreeze(element(freeze->getOperand(0)));
      } else {
        report_fatal_error("an aggregate of unknown origin");
      }
    }
    extract->replaceAllUsesWith(made[{aggregate, extract->getIndices()[0]}]);
    extract->eraseFromParent();
  }
  // What is left of the aggregates themselves has no users, except each other around a loop.
  bool changed = true;
  while (changed) {
    changed = false;
    for (Instruction& inst : make_early_inc_range(instructions(f))) {
      if (!inst.getType()->isAggregateType() || isa<CallInst>(inst)) continue;
      bool only_itself = all_of(inst.users(), [&](User* u) { return u == &inst; });
      if (!only_itself) continue;
      inst.replaceAllUsesWith(PoisonValue::get(inst.getType()));
      inst.eraseFromParent();
      changed = true;
    }
  }
}

} // namespace

bool is_stop(const Instruction& inst) {
  std::string_view op = lane_op(inst);
  return op == "barrier" || op == "warp_sync" || op == "yield" || op == "call";
}

PrepareResult prepare(Function& function) {
  Passes passes;
  FunctionPassManager clean = cleaning();
  passes.run(function, clean);
  PrepareResult result;
  result.local_bytes = LocalMemory(function).run();
  FunctionPassManager again;
  again.addPass(InstCombinePass());
  again.addPass(EarlyCSEPass(false));
  again.addPass(SimplifyCFGPass());
  passes.fam.invalidate(function, PreservedAnalyses::none());
  passes.run(function, again);
  FunctionPassManager switches;
  switches.addPass(LowerSwitchPass());
  passes.run(function, switches);
  if (mayContainIrreducibleControl(function, &passes.fam.getResult<LoopAnalysis>(function))) {
    FunctionPassManager reducible = single_entry_loops();
    passes.run(function, reducible);
  }
  FunctionPassManager loops = canonical_loops();
  passes.run(function, loops);
  passes.fam.invalidate(function, PreservedAnalyses::none());
  insert_yields(function, passes.fam.getResult<LoopAnalysis>(function));
  mark_guesses(function);
  split_aggregates(function);
  // The elements of a vector load next to it: the widener keeps them as values of the load's own block.
  for (BasicBlock& block : function)
    for (Instruction& inst : make_early_inc_range(block))
      if (auto* extract = dyn_cast<ExtractValueInst>(&inst))
        extract->moveAfter(cast<Instruction>(extract->getAggregateOperand()));
  // Every stop alone at the end of its block; the block behind it is where its lanes resume.
  std::vector<Instruction*> stops;
  for (Instruction& inst : instructions(function))
    if (is_stop(inst)) stops.push_back(&inst);
  for (Instruction* stop : stops) stop->getParent()->splitBasicBlock(stop->getNextNode(), "resume");
  return result;
}

} // namespace tollgate::simd
