#include "simd/widen.h"

#include "analysis/block_order.h"
#include "simd/prepare.h"
#include "simd/widener.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <cstddef>

namespace tollgate::simd {

using namespace llvm;

Widener::Widener(Function& scalar, const WidenOptions& options)
    : scalar_(scalar), options_(options), module_(*scalar.getParent()), context_(scalar.getContext()), b_(context_),
      dominators_(scalar), post_dominators_(scalar), loops_(dominators_) {
  uniformity_ = std::make_unique<analysis::Uniformity>(scalar, loops_, post_dominators_, *this);
  liveness_ = std::make_unique<analysis::Liveness>(scalar);
}

WidenedFunction Widener::run() {
  auto* pointer = PointerType::get(context_, 0);
  auto* i32_type = b_.getInt32Ty();
  auto* type = FunctionType::get(b_.getInt64Ty(), {pointer, i32_type, i32_type, i32_type}, false);
  std::string name = scalar_.getName().str() + ".step";
  step_ = Function::Create(type, GlobalValue::ExternalLinkage, name, module_);
  step_->addFnAttr(Attribute::NoUnwind);
  step_->getArg(0)->addAttr(Attribute::NoAlias);
  entry_ = Block::Create(context_, "entry", step_);

  order_blocks();
  find_strides();
  find_resident();
  constexpr unsigned kManyAccesses = 96;
  unsigned accesses = 0;
  for (Instruction& inst : instructions(scalar_)) {
    std::string_view op = lane_op(inst);
    if (op != "ld" && op != "st") continue;
    accesses += access_of(cast<CallInst>(inst)).written ? 0 : 1;
  }
  is_large_ = accesses > kManyAccesses;
  find_waiting();
  emit_entry();
  for (unsigned i = 0; i < regions_.size(); ++i)
    if (regions_[i].reached) emit_region(i);
  for (Region& r : regions_)
    if (!r.reached) { // never entered: no way leads here
      b_.SetInsertPoint(r.body);
      b_.CreateUnreachable();
    }

  forget_between_warps();

  WidenedFunction out;
  out.name = name;
  out.frame_bytes = frame_bytes_;
  out.whole_stops = std::move(whole_stops_);
  out.has_stops = !resume_labels_.empty();
  return out;
}

void Widener::order_blocks() {
  std::vector<Block*> order = analysis::block_order(scalar_, loops_);
  b_.SetInsertPoint(entry_);
  for (Block* block : order) {
    Region r;
    r.scalar = block;
    r.body = Block::Create(context_, block->getName(), step_);
    r.pending = b_.CreateAlloca(b_.getInt32Ty());
    r.waiting.resize(unsigned(order.size()));
    index_[block] = unsigned(regions_.size());
    regions_.push_back(std::move(r));
  }
  // Labels grow with the block order, so that the scheduler can run the lowest block first.
  for (unsigned i = 0; i < regions_.size(); ++i)
    for (Instruction& inst : *regions_[i].scalar)
      if (is_stop(inst)) regions_[index_[inst.getParent()->getSingleSuccessor()]].label = 1;
  unsigned label = 0;
  for (Region& r : regions_)
    if (r.label != 0) {
      r.label = ++label;
      resume_labels_[r.scalar] = label;
    }
}

// The ways control can go on from the end of block `index`, when lanes may also wait at the blocks in `waiting`:
// the lowest block that has lanes. `fn` is told each block that may come next and which blocks may then still wait.
void Widener::for_each_way(unsigned index, const BitVector& waiting,
                           function_ref<void(unsigned, const BitVector&)> fn) const {
  const Instruction* term = regions_[index].scalar->getTerminator();
  const Instruction* before = term->getPrevNode();
  bool stop = before && is_stop(*before);
  bool maybe_stop = stop && (lane_op(*before) == "warp_sync" || lane_op(*before) == "yield");
  auto go = [&](BitVector candidates, bool certain_is_lowest, int certain) {
    // Up to and including the certain block, each candidate may be the lowest that has lanes.
    for (int c = candidates.find_first(); c >= 0; c = candidates.find_next(c)) {
      BitVector rest = candidates;
      rest.reset(0, unsigned(c) + 1);
      fn(unsigned(c), rest);
      if (c == certain) break;
    }
    (void)certain_is_lowest;
  };
  if (term->getNumSuccessors() == 0) return go(waiting, false, -1);
  if (stop && !maybe_stop) return go(waiting, false, -1);
  if (maybe_stop) go(waiting, false, -1); // all its lanes stopped
  const auto* branch = cast<BranchInst>(term);
  if (branch->isConditional() && !uniformity_->is_uniform(branch->getCondition())) {
    BitVector candidates = waiting;
    for (const BasicBlock* s : successors(branch->getParent())) candidates.set(index_.lookup(s));
    // One of the two has lanes, but which is not known: control cannot get past the higher of the two.
    unsigned a = index_.lookup(branch->getSuccessor(0)), c = index_.lookup(branch->getSuccessor(1));
    return go(candidates, true, int(std::max(a, c)));
  }
  for (const BasicBlock* s : successors(branch->getParent())) {
    BitVector candidates = waiting;
    unsigned target = index_.lookup(s);
    candidates.set(target);
    go(candidates, true, int(target));
  }
}

// Which blocks may have lanes waiting while a block runs: a fixpoint over all ways.
void Widener::find_waiting() {
  std::vector<unsigned> work;
  auto enter = [&](unsigned target, const BitVector& waiting) {
    Region& r = regions_[target];
    BitVector merged = r.waiting;
    merged |= waiting;
    if (r.reached && merged == r.waiting) return;
    r.reached = true;
    r.waiting = merged;
    work.push_back(target);
  };
  BitVector none(unsigned(regions_.size()));
  enter(0, none);
  for (auto& [block, label] : resume_labels_) enter(index_[block], none);
  while (!work.empty()) {
    unsigned i = work.back();
    work.pop_back();
    BitVector waiting = regions_[i].waiting;
    for_each_way(i, waiting, enter);
  }
}

// A step runs one warp, then those behind it in the block as long as each ends as the one before did: with all its
// lanes at one barrier, or gone. Small kernels with many barriers spend most of their time on the way in and out.
void Widener::emit_warp_loop() {
  auto* pointer = PointerType::get(context_, 0);
  Type* i32_type = b_.getInt32Ty();
  b_.SetInsertPoint(entry_);
  WarpLoop& loop = warp_loop_;
  loop.header = Block::Create(context_, "warp", step_);
  b_.CreateBr(loop.header);
  b_.SetInsertPoint(loop.header);
  PHINode* warp = b_.CreatePHI(pointer, 2);
  PHINode* label = b_.CreatePHI(i32_type, 2);
  PHINode* mask = b_.CreatePHI(i32_type, 2);
  PHINode* ran = b_.CreatePHI(i32_type, 2); // warps before this one
  PHINode* before = b_.CreatePHI(i32_type, 2);
  warp_ = warp;
  loop.label = label;
  entry_mask_ = mask;

  loop.end = Block::Create(context_, "warp.end", step_);
  b_.SetInsertPoint(loop.end);
  loop.result = b_.CreatePHI(i32_type, 4);
  Block* again = Block::Create(context_, "warp.next", step_);
  Block* leave = Block::Create(context_, "leave", step_);
  Value* more = b_.CreateICmpULT(ran, step_->getArg(3));
  Value* alike = b_.CreateOr(b_.CreateICmpEQ(ran, i32(0)), b_.CreateICmpEQ(loop.result, before));
  b_.CreateCondBr(b_.CreateAnd(more, alike), again, leave);
  // Gone, all of them, unless there are Groups.
  loop.left = Block::Create(context_, "warp.left", step_);
  b_.SetInsertPoint(loop.left);
  Value* groups = load_warp(i32_type, offsetof(WarpContext, group_count));
  loop.result->addIncoming(i32(0), loop.left);
  b_.CreateCondBr(b_.CreateICmpEQ(groups, i32(0)), loop.end, leave);
  b_.SetInsertPoint(leave);
  PHINode* last = b_.CreatePHI(i32_type, 2);
  last->addIncoming(loop.result, loop.end);
  last->addIncoming(i32(0), loop.left);
  Value* count = b_.CreateShl(b_.CreateZExt(ran, b_.getInt64Ty()), i64(32));
  b_.CreateRet(b_.CreateOr(count, b_.CreateZExt(last, b_.getInt64Ty())));

  b_.SetInsertPoint(again);
  auto field = [&](Value* of, size_t offset) { return b_.CreateConstGEP1_64(b_.getInt8Ty(), of, offset); };
  constexpr size_t first_group = offsetof(WarpContext, groups);
  b_.CreateStore(loop.result, field(warp, first_group + offsetof(Group, label)));
  Value* next = field(warp, sizeof(WarpContext));
  b_.CreateStore(i32(0), field(next, offsetof(WarpContext, group_count)));
  Value* next_label = b_.CreateLoad(i32_type, field(next, first_group + offsetof(Group, label)));
  next_label = b_.CreateAnd(next_label, i32(~kGaveWay));
  Value* next_mask = b_.CreateLoad(i32_type, field(next, first_group + offsetof(Group, mask)));
  Value* next_ran = b_.CreateAdd(ran, i32(1));
  b_.CreateBr(loop.header);

  const std::pair<PHINode*, std::pair<Value*, Value*>> inputs[] = {{warp, {step_->getArg(0), next}},
                                                                   {label, {step_->getArg(1), next_label}},
                                                                   {mask, {step_->getArg(2), next_mask}},
                                                                   {ran, {i32(0), next_ran}},
                                                                   {before, {i32(0), loop.result}}};
  for (auto& [phi, from] : inputs) {
    phi->addIncoming(from.first, entry_);
    phi->addIncoming(from.second, again);
  }
  b_.SetInsertPoint(loop.header);
}

// No value outlives its warp, which the optimiser cannot know of variables that only some ways write.
void Widener::forget_between_warps() {
  Instruction* first = &*warp_loop_.header->getFirstNonPHIIt();
  for (Instruction& inst : *entry_)
    if (auto* variable = dyn_cast<AllocaInst>(&inst); variable && isAllocaPromotable(variable))
      new StoreInst(PoisonValue::get(variable->getAllocatedType()), variable, first->getIterator());
  for (AllocaInst* seen : last_seen_) new StoreInst(b_.getInt64(0), seen, first->getIterator());
}

// The warp is done: `label` where it waits as a whole, 0 otherwise.
void Widener::end_warp(uint32_t label) {
  if (label == 0) {
    b_.CreateBr(warp_loop_.left);
    return;
  }
  warp_loop_.result->addIncoming(i32(label), b_.GetInsertBlock());
  b_.CreateBr(warp_loop_.end);
}

// The same where all lanes that the step began with are here; otherwise code goes on.
void Widener::end_if_whole(uint32_t label) {
  Block* whole = Block::Create(context_, "whole", step_);
  Block* parted = Block::Create(context_, "parted", step_);
  b_.CreateCondBr(b_.CreateICmpEQ(mask_, entry_mask_), whole, parted);
  b_.SetInsertPoint(whole);
  end_warp(label);
  b_.SetInsertPoint(parted);
}

void Widener::emit_entry() {
  emit_warp_loop();
  if (!resume_labels_.empty()) frame_ = load_warp(PointerType::get(context_, 0), offsetof(WarpContext, frame));
  for (Region& r : regions_) b_.CreateStore(i32(0), r.pending);
  budget_ = b_.CreateAlloca(b_.getInt32Ty());
  b_.CreateStore(i32(options_.spin_budget), budget_);
  walk_budget_ = b_.CreateAlloca(b_.getInt32Ty());
  b_.CreateStore(i32(options_.walk_budget), walk_budget_);
  Block* start = Block::Create(context_, "start", step_);
  auto* dispatch = b_.CreateSwitch(warp_loop_.label, start, unsigned(resume_labels_.size()));
  b_.SetInsertPoint(start);
  b_.CreateStore(entry_mask_, regions_[0].pending);
  b_.CreateBr(regions_[0].body);
  for (auto& [block, label] : resume_labels_) {
    Block* resume = Block::Create(context_, "resume", step_);
    dispatch->addCase(b_.getInt32(label), resume);
    b_.SetInsertPoint(resume);
    load_live(block);
    b_.CreateStore(entry_mask_, regions_[index_[block]].pending);
    b_.CreateBr(regions_[index_[block]].body);
  }
}

void Widener::emit_region(unsigned index) {
  Region& r = regions_[index];
  current_ = index;
  made_ = Made();
  b_.SetInsertPoint(r.body);
  mask_ = b_.CreateLoad(b_.getInt32Ty(), r.pending);
  b_.CreateStore(i32(0), r.pending);
  // All phis are read before anything else changes them.
  SmallVector<std::pair<PHINode*, Value*>, 8> phis;
  for (PHINode& phi : r.scalar->phis()) {
    AllocaInst* in = slot_of(&phi, true);
    phis.emplace_back(&phi, b_.CreateLoad(in->getAllocatedType(), in));
  }
  for (PHINode& phi : r.scalar->phis()) {
    if (uniform(&phi) || !stride_of(&phi)) continue;
    AffineSlots& in = affine_slots(&phi, true);
    made_.affine[&phi] = {b_.CreateLoad(each_row(phi.getType()), in.base), *stride_of(&phi),
                          b_.CreateLoad(b_.getInt1Ty(), in.ok)};
  }
  for (auto& [phi, value] : phis) define(phi, value);
  for (Instruction& inst : *r.scalar) {
    if (isa<PHINode>(inst) || inst.isTerminator() || is_stop(inst)) continue;
    emit_instruction(&inst);
  }
  emit_terminator(index);
}

// Hands `lanes` over to block `to`: its phis, and its set of waiting lanes.
void Widener::emit_edge(unsigned from, Block* to, Value* lanes) {
  unsigned target = index_[to];
  bool back_edge = target <= from;
  // Lanes that came another way may already wait there.
  bool others = regions_[from].waiting.test(target);
  SmallVector<std::pair<AllocaInst*, Value*>, 8> moves;
  SmallVector<std::pair<AffineSlots, std::optional<Affine>>, 4> affine_moves;
  Value* blend = nullptr;
  for (PHINode& phi : to->phis()) {
    Value* incoming = phi.getIncomingValueForBlock(regions_[from].scalar);
    AllocaInst* slot = slot_of(&phi, true);
    Value* v = uniform(&phi) ? scalar(incoming) : vec(incoming);
    if (others && !back_edge) {
      if (uniform(&phi)) {
        // A uniform phi has the same value whichever way lanes came; keep the first.
      } else {
        if (!blend) blend = to_mask(lanes);
        v = b_.CreateSelect(blend, v, b_.CreateLoad(slot->getAllocatedType(), slot));
      }
    }
    moves.emplace_back(slot, v);
    if (!uniform(&phi) && stride_of(&phi)) affine_moves.emplace_back(affine_slots(&phi, true), affine(incoming));
  }
  for (auto& [slot, v] : moves) b_.CreateStore(v, slot);
  for (auto& [slots, a] : affine_moves) store_affine(slots, a);
  Value* pending = lanes;
  if (others) pending = b_.CreateOr(b_.CreateLoad(b_.getInt32Ty(), regions_[target].pending), lanes);
  b_.CreateStore(pending, regions_[target].pending);
}

// Goes to the lowest of the candidates that has lanes. `certain` is a block that has some for sure, or no candidate
// above it counts; -1: there may be none, then the step ends.
void Widener::continue_with(unsigned from, const BitVector& candidates, int certain) {
  for (int c = candidates.find_first(); c >= 0; c = candidates.find_next(c)) {
    Region& r = regions_[unsigned(c)];
    if (c == certain) {
      b_.CreateBr(r.body);
      return;
    }
    Block* next = Block::Create(context_, "next", step_);
    Value* has = b_.CreateICmpNE(b_.CreateLoad(b_.getInt32Ty(), r.pending), i32(0));
    b_.CreateCondBr(has, r.body, next);
    b_.SetInsertPoint(next);
  }
  end_warp(0);
}

void Widener::emit_terminator(unsigned index) {
  Region& r = regions_[index];
  Instruction* term = r.scalar->getTerminator();
  Instruction* before = term->getPrevNode();
  if (before && is_stop(*before)) return emit_stop(index, cast<CallInst>(before));
  if (isa<UnreachableInst>(term)) { // a call that never returns: the launch has been ended
    continue_with(index, r.waiting, -1);
    return;
  }
  if (isa<ReturnInst>(term)) {
    if (options_.is_kernel) {
      bool done = before && lane_op(*before) == "exit";
      if (!done) emit_exit(i32(0));
    } else if (!(before && lane_op(*before) == "exit")) {
      call_runtime("tgh_stop", b_.getVoidTy(),
                   {warp_, mask_, i32(0), i32(uint32_t(StopKind::Return)), i32(0), i32(0), i32(0), i32(0), i32(0)});
    }
    continue_with(index, r.waiting, -1);
    return;
  }
  auto* branch = cast<BranchInst>(term);
  if (branch->isUnconditional()) {
    Block* to = branch->getSuccessor(0);
    emit_edge(index, to, mask_);
    BitVector candidates = r.waiting;
    candidates.set(index_[to]);
    continue_with(index, candidates, int(index_[to]));
    return;
  }
  Block* yes = branch->getSuccessor(0);
  Block* no = branch->getSuccessor(1);
  if (yes == no) {
    emit_edge(index, yes, mask_);
    BitVector candidates = r.waiting;
    candidates.set(index_[yes]);
    continue_with(index, candidates, int(index_[yes]));
    return;
  }
  if (uniform(branch->getCondition())) {
    Value* condition = scalar(branch->getCondition());
    Block* taken = Block::Create(context_, "taken", step_);
    Block* other = Block::Create(context_, "other", step_);
    b_.CreateCondBr(condition, taken, other);
    const Made before = made_;
    for (auto [block, to] : {std::pair{taken, yes}, std::pair{other, no}}) {
      made_ = before;
      b_.SetInsertPoint(block);
      emit_edge(index, to, mask_);
      BitVector candidates = r.waiting;
      candidates.set(index_[to]);
      continue_with(index, candidates, int(index_[to]));
    }
    return;
  }
  Value* taken = lane_bits(branch->getCondition());
  Value* other = b_.CreateAnd(mask_, b_.CreateNot(taken));
  // Both edges' phi inputs are read before either is written.
  emit_edge(index, yes, taken);
  emit_edge(index, no, other);
  BitVector candidates = r.waiting;
  candidates.set(index_[yes]);
  candidates.set(index_[no]);
  continue_with(index, candidates, int(std::max(index_[yes], index_[no])));
}

WidenedFunction widen(Function& scalar, const WidenOptions& options) {
  Widener widener(scalar, options);
  WidenedFunction out = widener.run();
  scalar.deleteBody();
  return out;
}

} // namespace tollgate::simd
