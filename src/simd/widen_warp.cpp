// Stops, warp operations, special registers and helpers.
#include "ptx/module.h"
#include "simd/prepare.h"
#include "simd/widener.h"

#include <llvm/IR/Instructions.h>

#include <cstddef>

namespace tollgate::simd {

using namespace llvm;
using analysis::LaneResult;
using ptx::SpecialReg;

namespace {

bool sreg_is_uniform(SpecialReg reg) {
  switch (reg) {
  case SpecialReg::TidX:
  case SpecialReg::TidY:
  case SpecialReg::TidZ:
  case SpecialReg::Laneid:
  case SpecialReg::LanemaskEq:
  case SpecialReg::LanemaskLe:
  case SpecialReg::LanemaskLt:
  case SpecialReg::LanemaskGe:
  case SpecialReg::LanemaskGt: return false;
  default: return true;
  }
}

} // namespace

// --- what the uniformity analysis asks -------------------------------------------------------------------------------

LaneResult Widener::result(const Instruction& inst) const {
  std::string_view op = lane_op(inst);
  auto* call = cast<CallInst>(&inst);
  if (op.empty() || op == "rt") return LaneResult::Elementwise;
  if (op == "ldparam" || op == "param_base" || op == "symbol" || op == "shared_base" || op == "cluster_base" ||
      op == "active_mask" || op == "clock")
    return LaneResult::Uniform;
  if (op == "vote") // one mask for all running lanes: one result
    return isa<Constant>(call->getArgOperand(2)) ? LaneResult::Uniform : LaneResult::Varying;
  if (op == "sreg") {
    auto reg = SpecialReg(cast<ConstantInt>(call->getArgOperand(0))->getZExtValue());
    return sreg_is_uniform(reg) ? LaneResult::Uniform : LaneResult::Varying;
  }
  if (op == "ld" || op == "undefined_load") return LaneResult::Elementwise; // one address, one value
  return LaneResult::Varying;
}

bool Widener::stops(const Instruction& inst) const { return is_stop(inst); }

bool Widener::can_part(const Instruction& inst) const {
  if (lane_op(inst) != "yield") return true;
  return immediate(cast<CallInst>(inst), 0) == 2; // a waiting loop
}

// The lanes of a call return in their own time, from one function or from several; those that name different barriers
// wait at each.
bool Widener::parts(const Instruction& inst, const analysis::Uniformity& known) const {
  const std::string_view op = lane_op(inst);
  const auto varies = [&](unsigned operand) { return !known.is_uniform(inst.getOperand(operand)); };
  return op == "call" || (op == "barrier" && (varies(2) || varies(3)));
}

// --- stops -----------------------------------------------------------------------------------------------------------

// A value that lives across many stops stays in the frame from its definition on, and other blocks read it there:
// saving it at each stop and merging it with the restored one behind each would grow with stops times values, and
// library code has hundreds of both.
void Widener::find_resident() {
  constexpr unsigned kMostSaves = 8;
  DenseMap<const Value*, unsigned> stops;
  for (auto& [resume, label] : resume_labels_)
    for (Instruction* inst : liveness_->live_in(resume))
      if (++stops[inst] > kMostSaves && !is_rematerialised(inst)) resident_.insert(inst);
}

// Lanes that are not running here may have their part of a value in the frame: it is kept.
bool Widener::blends(const Block* block) const {
  return uniformity_->may_split() || !uniformity_->runs_together(block);
}

Value* Widener::frame_slot(Instruction* inst) {
  auto [it, fresh] = frame_offset_.try_emplace(inst, 0);
  if (fresh) {
    bool is_scalar = uniform(inst);
    bool bits = !is_scalar && inst->getType()->isIntegerTy(1);
    Type* type = is_scalar ? inst->getType() : wide(inst->getType());
    uint64_t size = bits ? 4 : module_.getDataLayout().getTypeAllocSize(type).getFixedValue();
    frame_bytes_ = uint32_t(alignTo(frame_bytes_, is_scalar || bits ? 8 : 64));
    it->second = frame_bytes_;
    frame_bytes_ += uint32_t(std::max<uint64_t>(size, 4));
  }
  return b_.CreateConstGEP1_64(b_.getInt8Ty(), frame_, it->second);
}

void Widener::save(Instruction* inst, Value* lanes, bool blend) {
  Value* at = frame_slot(inst);
  if (uniform(inst)) {
    b_.CreateAlignedStore(scalar(inst), at, Align(8));
    return;
  }
  Value* v = vec(inst);
  if (inst->getType()->isIntegerTy(1)) {
    v = to_bits(v);
    if (blend) {
      Value* old = b_.CreateAlignedLoad(b_.getInt32Ty(), at, Align(4));
      v = b_.CreateOr(b_.CreateAnd(v, lanes), b_.CreateAnd(old, b_.CreateNot(lanes)));
    }
    b_.CreateAlignedStore(v, at, Align(4));
    return;
  }
  if (blend) v = b_.CreateSelect(to_mask(lanes), v, b_.CreateAlignedLoad(v->getType(), at, Align(64)));
  b_.CreateAlignedStore(v, at, Align(64));
}

Value* Widener::load_saved(Instruction* inst) {
  Value* at = frame_slot(inst);
  if (uniform(inst)) return b_.CreateAlignedLoad(inst->getType(), at, Align(8));
  if (inst->getType()->isIntegerTy(1)) return to_mask(b_.CreateAlignedLoad(b_.getInt32Ty(), at, Align(4)));
  return b_.CreateAlignedLoad(wide(inst->getType()), at, Align(64));
}

void Widener::save_live(Block* resume, Value* lanes, bool blend) {
  for (Instruction* inst : liveness_->live_in(resume))
    if (!is_rematerialised(inst) && !resident_.contains(inst)) save(inst, lanes, blend);
}

void Widener::load_live(Block* resume) {
  for (Instruction* inst : liveness_->live_in(resume)) {
    if (is_rematerialised(inst) || resident_.contains(inst)) continue;
    Value* v = load_saved(inst);
    b_.CreateStore(v, slot_of(inst));
    if (!uniform(inst) && stride_of(inst)) store_affine(affine_slots(inst, false), line_of(inst, v));
  }
}

// __syncthreads() and nothing else: barrier 0 of all threads, without a reduction.
bool Widener::is_whole_stop(CallInst* barrier) const {
  auto is_zero = [&](unsigned index) {
    auto* c = dyn_cast<ConstantInt>(barrier->getArgOperand(index));
    return c && c->isZero();
  };
  return options_.is_kernel && is_zero(2) && is_zero(3) && (immediate(*barrier, 0) & 7) == uint32_t(BarrierOp::Sync) &&
         isa<ConstantInt>(barrier->getArgOperand(1));
}

void Widener::emit_stop(unsigned index, CallInst* stop) {
  Region& r = regions_[index];
  std::string_view op = lane_op(*stop);
  Block* resume = r.scalar->getSingleSuccessor();
  uint32_t label = resume_labels_[resume];
  auto stop_all = [&] { save_live(resume, mask_, blends(r.scalar)); };
  auto go_on = [&] { // straight into the resume block
    emit_edge(index, resume, mask_);
    BitVector candidates = r.waiting;
    candidates.set(index_[resume]);
    continue_with(index, candidates, int(index_[resume]));
  };
  auto stop_call = [&](StopKind kind, Value* a, Value* b, Value* c, Value* site, Value* predicate) {
    append_group({i32(label), mask_, i32(uint32_t(kind)), a, b, c, site, predicate});
  };

  if (op == "barrier") { // (op, site, id, count, predicate)
    uint32_t kind = immediate(*stop, 0);
    Value* site = stop->getArgOperand(1);
    Value* id = stop->getArgOperand(2);
    Value* count = stop->getArgOperand(3);
    Value* predicate = lane_bits(stop->getArgOperand(4));
    bool plain = uniform(id) && uniform(count);
    Value* id_v = plain ? scalar(id) : spill(vec(id));
    Value* count_v = plain ? scalar(count) : spill(vec(count));
    stop_all();
    if (plain && is_whole_stop(stop) && r.waiting.none()) {
      whole_stops_.push_back({label, immediate(*stop, 1), kind});
      end_if_whole(label);
    }
    if (plain)
      stop_call(StopKind::Barrier, id_v, count_v, i32(kind), site, predicate);
    else
      call_runtime("tgh_stop_barrier_lanes", b_.getVoidTy(),
                   {warp_, mask_, i32(label), id_v, count_v, i32(kind), site, predicate});
    scratch_used_ = 0;
    continue_with(index, r.waiting, -1);
    return;
  }
  if (op == "call") { // (function, target, site, args...)
    uint32_t function = immediate(*stop, 0);
    Value* lanes = mask_vector();
    auto keep = [&](Value* value, size_t offset) {
      Value* at = warp_field(offset);
      Value* old = b_.CreateAlignedLoad(wide(b_.getInt64Ty()), at, Align(64));
      b_.CreateAlignedStore(b_.CreateSelect(lanes, value, old), at, Align(64));
    };
    for (unsigned i = 3; i < stop->arg_size(); ++i)
      keep(vec(stop->getArgOperand(i)), offsetof(WarpContext, call_args) + (i - 3) * sizeof(uint64_t) * kLanes);
    if (function == ~0u) keep(vec(stop->getArgOperand(1)), offsetof(WarpContext, call_targets));
    stop_all();
    stop_call(StopKind::Call, i32(function), i32(stop->arg_size() - 3), i32(0), stop->getArgOperand(2), i32(0));
    continue_with(index, r.waiting, -1);
    return;
  }

  // What is computed while stopping is not there on the other way.
  const Made before = made_;
  Block* stopping = Block::Create(context_, "stopping", step_);
  Block* going = Block::Create(context_, "going", step_);
  if (op == "warp_sync") { // (mask, site, orders memory): all named lanes are here, or have left the kernel
    Value* wanted = stop->getArgOperand(0);
    Value* gone = load_warp(b_.getInt32Ty(), offsetof(WarpContext, exited));
    const bool observed = kHooks && options_.observe_sync;
    if (observed) // the scheduler tells of lanes that went past to the end of the kernel
      gone = b_.CreateAnd(gone, b_.CreateNot(load_warp(b_.getInt32Ty(), offsetof(WarpContext, fell_off))));
    auto tell = [&](Value* masks) {
      call_runtime("tgh_observe_warp_sync", b_.getVoidTy(), {warp_, mask_, spill(masks), stop->getArgOperand(1)});
      scratch_used_ = 0;
    };
    Value* here = b_.CreateOr(mask_, gone);
    if (uniform(wanted)) {
      Value* missing = b_.CreateAnd(scalar(wanted), b_.CreateNot(here));
      Value* outside = b_.CreateAnd(mask_, b_.CreateNot(scalar(wanted))); // lanes not named by their own mask
      b_.CreateCondBr(b_.CreateICmpEQ(b_.CreateOr(missing, outside), i32(0)), going, stopping);
      b_.SetInsertPoint(stopping);
      if (observed) tell(splat(scalar(wanted)));
      stop_all();
      stop_call(StopKind::WarpSync, scalar(wanted), i32(0), stop->getArgOperand(2), stop->getArgOperand(1), i32(0));
    } else {
      Value* masks = vec(wanted);
      if (observed) tell(masks);
      Value* at = spill(masks);
      Value* incomplete = call_runtime("tgh_warp_sync_incomplete", b_.getInt32Ty(), {mask_, here, at});
      mask_vector();
      b_.CreateCondBr(b_.CreateICmpEQ(incomplete, i32(0)), going, stopping);
      b_.SetInsertPoint(stopping);
      stop_all();
      call_runtime("tgh_stop_warp_sync_lanes", b_.getVoidTy(),
                   {warp_, mask_, i32(label), at, stop->getArgOperand(1), stop->getArgOperand(2)});
    }
    scratch_used_ = 0;
    continue_with(index, r.waiting, -1);
    b_.SetInsertPoint(going);
    made_ = before;
    if (kHooks && options_.observe_sync && immediate(*stop, 2) != 0) {
      call_runtime("tgh_observe_warp_barrier", b_.getVoidTy(),
                   {warp_, mask_, spill(vec(wanted)), stop->getArgOperand(1)});
      scratch_used_ = 0;
    }
    go_on();
    return;
  }
  // yield(kind)
  bool spins = immediate(*stop, 0) == 2;
  AllocaInst* counter = spins ? budget_ : walk_budget_;
  Value* left = b_.CreateSub(b_.CreateLoad(b_.getInt32Ty(), counter), i32(1));
  b_.CreateStore(left, counter);
  Block* spent = Block::Create(context_, "spent", step_);
  b_.CreateCondBr(b_.CreateICmpNE(left, i32(0)), going, spent);
  b_.SetInsertPoint(spent);
  b_.CreateStore(i32(spins ? options_.spin_budget : options_.walk_budget), counter);
  if (spins) {
    b_.CreateBr(stopping);
  } else {
    // Gives way only as a whole: lanes that wait behind the loop would lose the others.
    Value* gone = load_warp(b_.getInt32Ty(), offsetof(WarpContext, exited));
    Value* whole = b_.CreateAnd(entry_mask_, b_.CreateNot(gone));
    b_.CreateCondBr(b_.CreateICmpEQ(mask_, whole), stopping, going);
  }
  b_.SetInsertPoint(stopping);
  if (kHooks && options_.observe_sync && spins) call_runtime("tgh_observe_give_way", b_.getVoidTy(), {warp_, mask_});
  stop_all();
  if (!spins && options_.is_kernel) end_if_whole(label | kGaveWay);
  stop_call(spins ? StopKind::Spin : StopKind::Ready, i32(0), i32(0), i32(0), i32(0), i32(0));
  continue_with(index, spins ? r.waiting : BitVector(unsigned(regions_.size())), -1);
  made_ = before;
  b_.SetInsertPoint(going);
  go_on();
}

// Adds a Group to the warp's list; the fields are the first eight words of Group, in order.
void Widener::append_group(ArrayRef<Value*> fields) {
  static_assert(offsetof(Group, predicate) == 28, "the order of fields below");
  Value* at = warp_field(offsetof(WarpContext, group_count));
  Value* count = b_.CreateLoad(b_.getInt32Ty(), at);
  Value* words = PoisonValue::get(FixedVectorType::get(b_.getInt32Ty(), 8));
  for (unsigned i = 0; i < 8; ++i) words = b_.CreateInsertElement(words, fields[i], uint64_t(i));
  Value* offset = b_.CreateMul(b_.CreateZExt(count, b_.getInt64Ty()), i64(sizeof(Group)));
  Value* group = b_.CreateGEP(b_.getInt8Ty(), warp_field(offsetof(WarpContext, groups)), offset);
  b_.CreateAlignedStore(words, group, Align(4));
  b_.CreateStore(b_.CreateAdd(count, i32(1)), at);
}

void Widener::emit_exit(Value* site) {
  if (kHooks && options_.observe_barriers) {
    call_runtime("tgh_exit", b_.getVoidTy(), {warp_, mask_, site});
    return;
  }
  Value* at = warp_field(offsetof(WarpContext, exited));
  b_.CreateStore(b_.CreateOr(b_.CreateLoad(b_.getInt32Ty(), at), mask_), at);
}

// Every back-edge that does not give way looks now and then whether the launch is being ended.
void Widener::emit_poll(CallInst*) {
  Value* stop = load_block(PointerType::get(context_, 0), offsetof(BlockContext, stop));
  Value* flag = b_.CreateLoad(b_.getInt32Ty(), stop, /*isVolatile=*/true);
  Block* ending = Block::Create(context_, "ending", step_);
  Block* going = Block::Create(context_, "polled", step_);
  b_.CreateCondBr(b_.CreateICmpNE(flag, i32(0)), ending, going);
  b_.SetInsertPoint(ending);
  call_runtime("tgh_end_launch", b_.getVoidTy(), {warp_});
  b_.CreateUnreachable();
  b_.SetInsertPoint(going);
}

// --- special registers -----------------------------------------------------------------------------------------------

Value* Widener::rematerialise(CallInst* call) {
  std::string_view op = lane_op(*call);
  Type* type = call->getType();
  if (op == "ldparam") {
    Value* params = load_block(PointerType::get(context_, 0), offsetof(BlockContext, param_host));
    auto* load =
        b_.CreateAlignedLoad(type, b_.CreateConstGEP1_64(b_.getInt8Ty(), params, immediate(*call, 0)), Align(1));
    load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(context_, {}));
    return load;
  }
  if (op == "param_base") return load_block(type, offsetof(BlockContext, param_device));
  if (op == "shared_base") return load_block(type, offsetof(BlockContext, shared_device));
  if (op == "cluster_base") return load_block(type, offsetof(BlockContext, cluster_shared));
  if (op == "symbol") {
    Value* table = load_block(PointerType::get(context_, 0), offsetof(BlockContext, symbols));
    return b_.CreateLoad(type, b_.CreateConstGEP1_64(type, table, immediate(*call, 0)));
  }
  if (op == "local_base") { // lane k: base + k * stride + start of the function's frame
    Value* base = load_warp(b_.getInt64Ty(), offsetof(WarpContext, local_base));
    Value* stride = load_warp(b_.getInt64Ty(), offsetof(WarpContext, local_stride));
    SmallVector<Constant*, kLanes> lanes;
    for (unsigned i = 0; i < kLanes; ++i) lanes.push_back(b_.getInt64(i));
    Value* v = b_.CreateAdd(splat(base), b_.CreateMul(splat(stride), ConstantVector::get(lanes)));
    if (!options_.is_kernel) {
      Value* offsets =
          b_.CreateAlignedLoad(wide(b_.getInt32Ty()), warp_field(offsetof(WarpContext, local_offset)), Align(4));
      v = b_.CreateAdd(v, b_.CreateZExt(offsets, v->getType()));
    }
    return v;
  }
  // sreg
  auto reg = SpecialReg(immediate(*call, 0));
  auto lanes32 = [&](size_t offset) -> Value* {
    return b_.CreateAlignedLoad(wide(b_.getInt32Ty()), warp_field(offset), Align(4));
  };
  auto constant_lanes = [&](auto fn) -> Value* {
    SmallVector<Constant*, kLanes> values;
    for (unsigned i = 0; i < kLanes; ++i) values.push_back(b_.getInt32(fn(i)));
    return ConstantVector::get(values);
  };
  auto block32 = [&](size_t offset) { return load_block(b_.getInt32Ty(), offset); };
  Value* v = nullptr;
  switch (reg) {
  case SpecialReg::TidX: v = lanes32(offsetof(WarpContext, tid_x)); break;
  case SpecialReg::TidY: v = lanes32(offsetof(WarpContext, tid_y)); break;
  case SpecialReg::TidZ: v = lanes32(offsetof(WarpContext, tid_z)); break;
  case SpecialReg::NtidX: v = block32(offsetof(BlockContext, ntid)); break;
  case SpecialReg::NtidY: v = block32(offsetof(BlockContext, ntid) + 4); break;
  case SpecialReg::NtidZ: v = block32(offsetof(BlockContext, ntid) + 8); break;
  case SpecialReg::CtaidX: v = block32(offsetof(BlockContext, ctaid)); break;
  case SpecialReg::CtaidY: v = block32(offsetof(BlockContext, ctaid) + 4); break;
  case SpecialReg::CtaidZ: v = block32(offsetof(BlockContext, ctaid) + 8); break;
  case SpecialReg::NctaidX: v = block32(offsetof(BlockContext, nctaid)); break;
  case SpecialReg::NctaidY: v = block32(offsetof(BlockContext, nctaid) + 4); break;
  case SpecialReg::NctaidZ: v = block32(offsetof(BlockContext, nctaid) + 8); break;
  case SpecialReg::Laneid: v = constant_lanes([](unsigned i) { return i; }); break;
  case SpecialReg::Warpid: v = load_warp(b_.getInt32Ty(), offsetof(WarpContext, warp)); break;
  case SpecialReg::Nwarpid: v = block32(offsetof(BlockContext, nwarps)); break;
  case SpecialReg::Smid: v = block32(offsetof(BlockContext, smid)); break;
  case SpecialReg::Nsmid: v = block32(offsetof(BlockContext, nsmid)); break;
  case SpecialReg::Gridid: v = load_block(b_.getInt64Ty(), offsetof(BlockContext, grid_id)); break;
  case SpecialReg::LanemaskEq: v = constant_lanes([](unsigned i) { return 1u << i; }); break;
  case SpecialReg::LanemaskLt: v = constant_lanes([](unsigned i) { return (1u << i) - 1; }); break;
  case SpecialReg::LanemaskLe: v = constant_lanes([](unsigned i) { return (2u << i) - 1; }); break;
  case SpecialReg::LanemaskGt: v = constant_lanes([](unsigned i) { return ~((2u << i) - 1); }); break;
  case SpecialReg::LanemaskGe: v = constant_lanes([](unsigned i) { return ~((1u << i) - 1); }); break;
  case SpecialReg::DynamicSmemSize: v = block32(offsetof(BlockContext, dynamic_shared)); break;
  case SpecialReg::TotalSmemSize:
  case SpecialReg::AggrSmemSize: v = block32(offsetof(BlockContext, total_shared)); break;
  case SpecialReg::Envreg1: v = b_.CreateLShr(load_block(b_.getInt64Ty(), offsetof(BlockContext, envreg12)), 32); break;
  case SpecialReg::Envreg2: v = load_block(b_.getInt64Ty(), offsetof(BlockContext, envreg12)); break;
  case SpecialReg::ClusteridX: v = block32(offsetof(BlockContext, clusterid)); break;
  case SpecialReg::ClusteridY: v = block32(offsetof(BlockContext, clusterid) + 4); break;
  case SpecialReg::ClusteridZ: v = block32(offsetof(BlockContext, clusterid) + 8); break;
  case SpecialReg::NclusteridX: v = block32(offsetof(BlockContext, nclusterid)); break;
  case SpecialReg::NclusteridY: v = block32(offsetof(BlockContext, nclusterid) + 4); break;
  case SpecialReg::NclusteridZ: v = block32(offsetof(BlockContext, nclusterid) + 8); break;
  case SpecialReg::ClusterCtaidX: v = block32(offsetof(BlockContext, cluster_ctaid)); break;
  case SpecialReg::ClusterCtaidY: v = block32(offsetof(BlockContext, cluster_ctaid) + 4); break;
  case SpecialReg::ClusterCtaidZ: v = block32(offsetof(BlockContext, cluster_ctaid) + 8); break;
  case SpecialReg::ClusterNctaidX: v = block32(offsetof(BlockContext, cluster_nctaid)); break;
  case SpecialReg::ClusterNctaidY: v = block32(offsetof(BlockContext, cluster_nctaid) + 4); break;
  case SpecialReg::ClusterNctaidZ: v = block32(offsetof(BlockContext, cluster_nctaid) + 8); break;
  case SpecialReg::ClusterCtarank: v = block32(offsetof(BlockContext, cluster_rank)); break;
  case SpecialReg::ClusterNctarank: v = block32(offsetof(BlockContext, cluster_size)); break;
  case SpecialReg::IsExplicitCluster: v = block32(offsetof(BlockContext, cluster_explicit)); break;
  default: v = i32(0); break;
  }
  Type* want = v->getType()->isVectorTy() ? wide(type) : type;
  return b_.CreateZExtOrTrunc(v, want);
}

// --- warp operations -------------------------------------------------------------------------------------------------

void Widener::emit_shfl(CallInst* call) { // (mode, value, b, c, mask, site)
  uint32_t mode = immediate(*call, 0);
  Value* out = scratch(wide(b_.getInt32Ty()));
  SmallVector<Value*, 6> args{i32(mode),
                              mask_,
                              spill(vec(call->getArgOperand(1))),
                              spill(vec(call->getArgOperand(2))),
                              spill(vec(call->getArgOperand(3))),
                              out};
  call_runtime("tgh_shfl", b_.getVoidTy(), args);
  scratch_used_ = 0;
  define(call, b_.CreateLoad(wide(b_.getInt32Ty()), out));
}

// The lanes of different tiles share one instruction: results are among the running lanes that the mask names. As all
// lanes of a mask run together (warp_sync came before), a uniform result needs one mask for all.
void Widener::emit_vote(CallInst* call) { // (mode, predicate, mask)
  auto mode = VoteMode(immediate(*call, 0));
  Value* yes = lane_bits(call->getArgOperand(1));
  Value* mask = call->getArgOperand(2);
  bool is_scalar = uniform(mask);
  Value* members = is_scalar ? b_.CreateAnd(scalar(mask), mask_) : b_.CreateAnd(vec(mask), splat(mask_));
  Value* votes = b_.CreateAnd(is_scalar ? yes : splat(yes), members);
  Value* zero = Constant::getNullValue(votes->getType());
  Value* out = nullptr;
  switch (mode) {
  case VoteMode::Ballot: out = votes; break;
  case VoteMode::Any: out = b_.CreateICmpNE(votes, zero); break;
  case VoteMode::All: out = b_.CreateICmpEQ(votes, members); break;
  case VoteMode::Uni: out = b_.CreateOr(b_.CreateICmpEQ(votes, members), b_.CreateICmpEQ(votes, zero)); break;
  }
  define(call, out);
}

// tg.helper.<name>: tgh_<name>(warp, running lanes, out, args...), each vector argument by address, i1 as a mask,
// constants by value.
void Widener::emit_helper(CallInst* call) {
  StringRef name = call->getCalledFunction()->getName().drop_front(strlen("tg.helper."));
  name = name.substr(0, name.find('.'));
  bool has_result = !call->getType()->isVoidTy();
  Value* out = has_result ? scratch(wide(call->getType())) : nullptr;
  SmallVector<Value*, 8> args{warp_, mask_};
  if (has_result) args.push_back(out);
  for (Value* a : call->args()) args.push_back(spill(vec(a)));
  call_runtime(("tgh_" + name).str(), b_.getVoidTy(), args);
  scratch_used_ = 0;
  if (has_result) define(call, b_.CreateLoad(wide(call->getType()), out));
}

void Widener::emit_fence(CallInst* call) { // (order, scope, site)
  b_.CreateFence(AtomicOrdering::SequentiallyConsistent);
  if (kHooks && options_.observe_sync && immediate(*call, 0) != 0)
    call_runtime("tgh_observe_fence", b_.getVoidTy(),
                 {warp_, mask_, call->getArgOperand(0), call->getArgOperand(1), call->getArgOperand(2)});
}

bool Widener::emit_lane_call(CallInst* call, std::string_view op) {
  if (op == "ld")
    emit_load(call);
  else if (op == "st")
    emit_store(call);
  else if (op == "atom")
    emit_atomic(call);
  else if (op == "shfl")
    emit_shfl(call);
  else if (op == "vote")
    emit_vote(call);
  else if (op == "helper")
    emit_helper(call);
  else if (op == "poll")
    emit_poll(call);
  else if (op == "exit")
    emit_exit(call->getArgOperand(0));
  else if (op == "active_mask")
    define(call, mask_);
  else if (op == "fence")
    emit_fence(call);
  else if (op == "undefined_load")
    emit_undefined_load(call);
  else if (op == "undefined_use")
    emit_undefined_use(call);
  else if (op == "barrier_result")
    define(call,
           b_.CreateAlignedLoad(wide(b_.getInt32Ty()), warp_field(offsetof(WarpContext, barrier_result)), Align(4)));
  else if (op == "call_arg")
    define(call, b_.CreateAlignedLoad(
                     wide(b_.getInt64Ty()),
                     warp_field(offsetof(WarpContext, call_args) + immediate(*call, 0) * sizeof(uint64_t) * kLanes),
                     Align(64)));
  else if (op == "shfl_in_range") {
    Value* out = scratch(b_.getInt32Ty());
    SmallVector<Value*, 4> args{i32(immediate(*call, 0)), spill(vec(call->getArgOperand(1))),
                                spill(vec(call->getArgOperand(2))), out};
    call_runtime("tgh_shfl_in_range", b_.getVoidTy(), args);
    scratch_used_ = 0;
    define(call, to_mask(b_.CreateLoad(b_.getInt32Ty(), out)));
  } else if (op == "clock") {
    auto reg = SpecialReg(immediate(*call, 0));
    Value* v = call_runtime("tgh_clock", b_.getInt64Ty(), {warp_, call->getArgOperand(0)});
    if (reg == SpecialReg::ClockHi || reg == SpecialReg::GlobaltimerHi) v = b_.CreateLShr(v, 32);
    v = b_.CreateTrunc(v, call->getType());
    define(call, v);
  } else if (op == "closing_brace") {
    Value* at = warp_field(offsetof(WarpContext, fell_off));
    b_.CreateStore(b_.CreateOr(b_.CreateLoad(b_.getInt32Ty(), at), mask_), at);
  } else {
    return false;
  }
  return true;
}

} // namespace tollgate::simd
