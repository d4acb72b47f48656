// Parallel synchronization and communication (PTX ISA 9.7.13): barriers, fences, warp operations, mbarrier.
#include "lower/shared_address.h"
#include "simd/warp_context.h"

#include <algorithm>
#include <unordered_map>

namespace tollgate::lower {

using namespace llvm;
using ptx::Mode;
using ptx::Operand;
using ptx::Type;
using simd::BarrierOp;

namespace {

void lower_warp_sync(BodyLowering& b, const ptx::Instruction& inst) {
  b.lanes().warp_sync(b.use(inst.operands[0], Type::U32), true, b.site(inst));
}

// bar.sync a{, b}; bar.arrive a, b; bar.red.op d, a{, b}, {!}c
void lower_barrier(BodyLowering& b, const ptx::Instruction& inst) {
  if (inst.mods.mode == Mode::WarpSync) return lower_warp_sync(b, inst);
  auto& ir = b.ir();
  std::vector<const Operand*> ops;
  for (const Operand& o : inst.operands) ops.push_back(&o);
  bool reduce = inst.mods.mode == Mode::Red;
  const Operand* destination = nullptr;
  Value* predicate = ir.getFalse();
  if (reduce) {
    destination = ops.front();
    predicate = b.use(*ops.back(), Type::Pred);
    ops.erase(ops.begin());
    ops.pop_back();
  }
  Value* id = ops.empty() ? ir.getInt32(0) : b.use(*ops[0], Type::U32);
  Value* count = ops.size() > 1 ? b.use(*ops[1], Type::U32) : ir.getInt32(0);
  BarrierOp op = BarrierOp::Sync;
  if (inst.mods.mode == Mode::Arrive) op = BarrierOp::Arrive;
  if (reduce) {
    op = inst.mods.op == ptx::Op::Popc  ? BarrierOp::RedPopc
         : inst.mods.op == ptx::Op::And ? BarrierOp::RedAnd
                                        : BarrierOp::RedOr;
  }
  uint32_t code = uint32_t(op) | (inst.mods.aligned ? 0 : uint32_t(BarrierOp::Unaligned));
  b.lanes().barrier(code, id, count, predicate, b.site(inst));
  if (!reduce) return;
  Value* r = b.lanes().barrier_result();
  if (inst.mods.op == ptx::Op::Popc)
    b.def(*destination, Type::U32, r);
  else
    b.def(*destination, Type::Pred, ir.CreateICmpNE(r, ir.getInt32(0)));
}

// barrier.cluster.arrive{.sem}{.aligned}, barrier.cluster.wait{.acquire}{.aligned} (9.7.13.3)
void lower_cluster_barrier(BodyLowering& b, const ptx::Instruction& inst) {
  auto& ir = b.ir();
  uint32_t code = uint32_t(inst.mods.mode == Mode::Arrive ? BarrierOp::Arrive : BarrierOp::Sync);
  if (!inst.mods.aligned) code |= uint32_t(BarrierOp::Unaligned);
  if (inst.mods.sem == ptx::Semantics::Relaxed) code |= uint32_t(BarrierOp::Relaxed);
  b.lanes().barrier(code, ir.getInt32(simd::kClusterBarrier), ir.getInt32(0), ir.getFalse(), b.site(inst));
}

// fence{.sem}.scope, membar.level (9.7.13.4). fence.sc orders at least as much as fence.acq_rel, and membar is a
// fence.sc. Proxy fences and fence.mbarrier_init order other kinds of access: no such event.
void lower_fence(BodyLowering& b, const ptx::Instruction& inst) {
  using observe::Order;
  Order order = Order::SeqCst;
  if (inst.mods.sem == ptx::Semantics::AcqRel) order = Order::AcqRel;
  if (inst.mods.sem == ptx::Semantics::Acquire) order = Order::Acquire;
  if (inst.mods.sem == ptx::Semantics::Release) order = Order::Release;
  if (inst.mods.proxy) order = Order::Weak;
  const bool async = std::ranges::find(inst.mods.ignored, "async") != inst.mods.ignored.end() ||
                     inst.form->syntax.find("proxy.async") != std::string_view::npos;
  if (inst.mods.proxy && async) b.lanes().helper("proxy_fence", b.ir().getVoidTy(), {b.ir().getInt32(b.site(inst))});
  static_assert(uint8_t(ptx::Scope::Cta) == uint8_t(observe::SyncScope::Cta) &&
                uint8_t(ptx::Scope::Sys) == uint8_t(observe::SyncScope::Sys));
  b.lanes().fence(uint32_t(order), uint32_t(inst.mods.scope), b.site(inst));
}

// shfl.sync.mode.b32 d{|p}, a, b, c, membermask
void lower_shfl(BodyLowering& b, const ptx::Instruction& inst) {
  simd::ShflMode mode = simd::ShflMode::Idx;
  if (inst.mods.mode == Mode::Up) mode = simd::ShflMode::Up;
  if (inst.mods.mode == Mode::Down) mode = simd::ShflMode::Down;
  if (inst.mods.mode == Mode::Bfly) mode = simd::ShflMode::Bfly;
  Value* value = b.use(inst.operands[1], Type::B32);
  Value* lane = b.use(inst.operands[2], Type::U32);
  Value* clamp = b.use(inst.operands[3], Type::U32);
  Value* mask = inst.operands.size() > 4 ? b.use(inst.operands[4], Type::U32) : b.lanes().active_mask();
  if (inst.operands.size() > 4) b.lanes().warp_sync(mask, false, b.site(inst));
  Value* p = inst.operands[0].pair >= 0 ? b.lanes().shfl_in_range(mode, lane, clamp) : nullptr;
  Value* d = b.lanes().shfl(mode, value, lane, clamp, mask, b.site(inst));
  b.def(inst.operands[0], Type::B32, d);
  if (p) b.def_pair(inst.operands[0], p);
}

// vote.sync.mode d, {!}a, membermask
void lower_vote(BodyLowering& b, const ptx::Instruction& inst) {
  Value* predicate = b.use(inst.operands[1], Type::Pred);
  Value* mask = inst.operands.size() > 2 ? b.use(inst.operands[2], Type::U32) : b.lanes().active_mask();
  if (inst.operands.size() > 2) b.lanes().warp_sync(mask, false, b.site(inst));
  switch (inst.mods.op) {
  case ptx::Op::Ballot:
    b.def(inst.operands[0], Type::B32, b.lanes().vote(simd::VoteMode::Ballot, predicate, mask));
    return;
  case ptx::Op::All: b.def(inst.operands[0], Type::Pred, b.lanes().vote(simd::VoteMode::All, predicate, mask)); return;
  case ptx::Op::Uni: b.def(inst.operands[0], Type::Pred, b.lanes().vote(simd::VoteMode::Uni, predicate, mask)); return;
  default: b.def(inst.operands[0], Type::Pred, b.lanes().vote(simd::VoteMode::Any, predicate, mask));
  }
}

// match.{any,all}.sync.type d{|p}, a, membermask
void lower_match(BodyLowering& b, const ptx::Instruction& inst) {
  Type type = inst.mods.types[0];
  auto& ir = b.ir();
  Value* value = ir.CreateZExtOrTrunc(b.use(inst.operands[1], type), ir.getInt64Ty());
  Value* mask = b.use(inst.operands[2], Type::U32);
  b.lanes().warp_sync(mask, false, b.site(inst));
  bool all = inst.mods.op == ptx::Op::All;
  Value* d = b.lanes().helper(all ? "match_all" : "match_any", ir.getInt32Ty(), {value, mask});
  b.def(inst.operands[0], Type::B32, d);
  if (all) b.def_pair(inst.operands[0], ir.CreateICmpNE(d, ir.getInt32(0)));
}

// On f32: by integers that sort like the floats. A NaN becomes the integer that never wins, or with .NaN always.
void lower_redux_f32(BodyLowering& b, const ptx::Instruction& inst) {
  auto& ir = b.ir();
  Value* bits = b.use(inst.operands[1], Type::B32);
  Value* mask = b.use(inst.operands[2], Type::U32);
  b.lanes().warp_sync(mask, false, b.site(inst));
  auto sorted = [&](Value* v) { return ir.CreateXor(v, ir.CreateAnd(ir.CreateAShr(v, 31), ir.getInt32(0x7fffffff))); };
  auto is_nan = [&](Value* v) {
    return ir.CreateICmpUGT(ir.CreateAnd(v, ir.getInt32(0x7fffffff)), ir.getInt32(0x7f800000));
  };
  if (inst.mods.xorsign_abs) bits = ir.CreateAnd(bits, ir.getInt32(0x7fffffff));
  bool is_min = inst.mods.op == ptx::Op::Min;
  Value* nan = ir.getInt32(is_min == inst.mods.nan ? 0x80000000u : 0x7fffffffu);
  Value* key = ir.CreateSelect(is_nan(bits), nan, sorted(bits));
  Value* r = sorted(b.lanes().helper(is_min ? "redux_min_s" : "redux_max_s", ir.getInt32Ty(), {key, mask}));
  b.def(inst.operands[0], Type::B32, ir.CreateSelect(is_nan(r), ir.getInt32(0x7fffffff), r));
}

// redux.sync.op{.abs}{.NaN}.type d, a, membermask
void lower_redux(BodyLowering& b, const ptx::Instruction& inst) {
  Type type = inst.mods.types[0];
  if (type == Type::F32) return lower_redux_f32(b, inst);
  Value* value = b.use(inst.operands[1], type);
  Value* mask = b.use(inst.operands[2], Type::U32);
  b.lanes().warp_sync(mask, false, b.site(inst));
  const char* name = nullptr;
  switch (inst.mods.op) {
  case ptx::Op::Add: name = "redux_add"; break;
  case ptx::Op::And: name = "redux_and"; break;
  case ptx::Op::Or: name = "redux_or"; break;
  case ptx::Op::Xor: name = "redux_xor"; break;
  case ptx::Op::Min: name = ptx::is_signed(type) ? "redux_min_s" : "redux_min_u"; break;
  default: name = ptx::is_signed(type) ? "redux_max_s" : "redux_max_u"; break;
  }
  b.def(inst.operands[0], type, b.lanes().helper(name, b.ir().getInt32Ty(), {value, mask}));
}

void lower_activemask(BodyLowering& b, const ptx::Instruction& inst) {
  b.def(inst.operands[0], Type::B32, b.lanes().active_mask());
}

// elect.sync d|p, membermask: the lowest lane of the mask leads.
void lower_elect(BodyLowering& b, const ptx::Instruction& inst) {
  auto& ir = b.ir();
  Value* mask = b.use(inst.operands[1], Type::U32);
  b.lanes().warp_sync(mask, false, b.site(inst));
  Value* together = ir.CreateAnd(mask, b.lanes().active_mask());
  Value* leader = ir.CreateBinaryIntrinsic(Intrinsic::cttz, together, ir.getFalse());
  b.def(inst.operands[0], Type::B32, leader);
  Value* lane = b.lanes().sreg(uint32_t(ptx::SpecialReg::Laneid), false);
  b.def_pair(inst.operands[0], ir.CreateICmpEQ(lane, leader));
}

void lower_nanosleep(BodyLowering& b, const ptx::Instruction& inst) {
  b.lanes().helper("nanosleep", b.ir().getVoidTy(), {b.use(inst.operands[0], Type::U32)});
}

Value* mbarrier_address(BodyLowering& b, const ptx::Instruction& inst, size_t operand) {
  return generic_address(b, inst.operands[operand], inst.mods.space, inst.mods.cluster_space);
}

// mbarrier.* (9.7.13.15). The object is the 64-bit word in shared memory; exec/mbarrier.cpp has its layout.
void lower_mbarrier(BodyLowering& b, const ptx::Instruction& inst) {
  auto& ir = b.ir();
  auto* none = ir.getVoidTy();
  const auto& ops = inst.operands;
  auto i32 = [&](size_t i) { return b.use(ops[i], Type::U32); };
  Value* at = ir.getInt32(b.site(inst));
  switch (inst.mods.mode) {
  case Mode::Init: b.lanes().helper("mbarrier_init", none, {mbarrier_address(b, inst, 0), i32(1), at}); return;
  case Mode::Inval: b.lanes().helper("mbarrier_inval", none, {mbarrier_address(b, inst, 0), at}); return;
  case Mode::ExpectTx:
  case Mode::CompleteTx: {
    Value* address = mbarrier_address(b, inst, 0);
    b.lanes().helper(inst.mods.mode == Mode::ExpectTx ? "mbarrier_expect_tx" : "mbarrier_complete_tx", none,
                     {address, i32(1), at});
    return;
  }
  case Mode::Arrive:
  case Mode::ArriveDrop:
  case Mode::ArriveExpectTx:
  case Mode::ArriveDropExpectTx: {
    // {state,} [addr] {, count | tx_count}
    bool has_state = ops[0].kind != Operand::Kind::Address;
    size_t a = has_state ? 1 : 0;
    Value* address = mbarrier_address(b, inst, a);
    Value* argument = ops.size() > a + 1 ? i32(a + 1) : ir.getInt32(1);
    const char* name = "mbarrier_arrive";
    if (inst.mods.mode == Mode::ArriveDrop) name = "mbarrier_arrive_drop"; // .noComplete promises, and changes nothing
    if (inst.mods.mode == Mode::ArriveExpectTx) name = "mbarrier_arrive_expect_tx";
    if (inst.mods.mode == Mode::ArriveDropExpectTx) name = "mbarrier_arrive_drop_expect_tx";
    Value* state = b.lanes().helper(name, ir.getInt64Ty(), {address, argument, at});
    if (has_state && ops[0].kind == Operand::Kind::Register) b.def(ops[0], Type::B64, state);
    return;
  }
  case Mode::TestWait:
  case Mode::TryWait: {
    // p, [addr], state | phaseParity {, suspendTimeHint}
    Value* address = mbarrier_address(b, inst, 1);
    Value* which = inst.mods.parity ? ir.CreateZExt(i32(2), ir.getInt64Ty()) : b.use(ops[2], Type::B64);
    Value* r = b.lanes().helper(inst.mods.parity ? "mbarrier_test_parity" : "mbarrier_test_state", ir.getInt32Ty(),
                                {address, which, at});
    b.def(ops[0], Type::Pred, ir.CreateICmpNE(r, ir.getInt32(0)));
    return;
  }
  case Mode::PendingCount:
    b.def(ops[0], Type::U32, b.lanes().helper("mbarrier_pending_count", ir.getInt32Ty(), {b.use(ops[1], Type::B64)}));
    return;
  default: b.fail(inst, "this form of mbarrier is not supported");
  }
}

void lower_nothing(BodyLowering&, const ptx::Instruction&) {}

} // namespace

BodyLowerFn find_sync(std::string_view mnemonic) {
  static const std::unordered_map<std::string_view, BodyLowerFn> table = {
      {"bar", lower_barrier},
      {"barrier", lower_barrier},
      {"bar.warp", lower_warp_sync},
      {"barrier.cluster", lower_cluster_barrier},
      {"fence", lower_fence},
      {"membar", lower_fence},
      {"shfl", lower_shfl},
      {"vote", lower_vote},
      {"match", lower_match},
      {"redux", lower_redux},
      {"activemask", lower_activemask},
      {"elect", lower_elect},
      {"nanosleep", lower_nanosleep},
      {"mbarrier", lower_mbarrier},
      {"griddepcontrol", lower_nothing},
      {"pmevent", lower_nothing},
      {"setmaxnreg", lower_nothing},
  };
  auto it = table.find(mnemonic);
  return it == table.end() ? nullptr : it->second;
}

} // namespace tollgate::lower
