// Copies and updates that an mbarrier or a group tells the end of (PTX ISA 9.7.9.12, 9.7.9.25, 9.7.13.7): cp.async,
// cp.async.bulk, cp.reduce.async.bulk, st.async, red.async. All are carried out at once; waiting then has nothing to
// do.
#include "lower/memory_access.h"
#include "lower/shared_address.h"

#include <algorithm>
#include <unordered_map>

namespace tollgate::lower {

using namespace llvm;
using ptx::Mode;
using ptx::Operand;
using ptx::Space;
using ptx::Type;

namespace {

using observe::AsyncOp;

bool has_word(const ptx::Instruction& inst, std::string_view word) {
  return std::ranges::find(inst.mods.ignored, word) != inst.mods.ignored.end();
}

// What copies are waited for by: no work for us, but a checker wants to know.
void async_group(BodyLowering& b, const ptx::Instruction& inst, AsyncOp op) {
  const bool counts = inst.mods.mode == Mode::WaitGroup;
  Value* groups = counts ? b.integer(inst.operands[0], 32) : b.ir().getInt32(observe::no_groups);
  b.lanes().helper("async_group", b.ir().getVoidTy(),
                   {b.ir().getInt32(uint32_t(op)), groups, b.ir().getInt32(b.site(inst))});
}

// cp.async.{ca,cg} [dst], [src], cp-size{, src-size | ignore-src}
void lower_cp_async(BodyLowering& b, const ptx::Instruction& inst) {
  if (inst.mods.mode == Mode::Commit) return async_group(b, inst, AsyncOp::Commit);
  if (inst.mods.mode == Mode::WaitGroup || inst.mods.mode == Mode::WaitAll) return async_group(b, inst, AsyncOp::Wait);
  if (inst.mods.mode == Mode::MbarrierArrive) {
    Value* at = generic_address(b, inst.operands[0], inst.mods.space, inst.mods.cluster_space);
    b.lanes().helper("mbarrier_async_arrive", b.ir().getVoidTy(),
                     {at, b.ir().getInt32(inst.mods.no_inc), b.ir().getInt32(b.site(inst))});
    return;
  }
  Value* size = b.integer(inst.operands[2], 32);
  Value* source_size = size;
  if (inst.operands.size() > 3) {
    const Operand& o = inst.operands[3];
    bool predicate = o.kind == Operand::Kind::Register && b.register_type(o.reg)->getIntegerBitWidth() == 1;
    source_size = predicate ? b.ir().CreateSelect(b.use(o, Type::Pred), b.ir().getInt32(0), size) : b.integer(o, 32);
  }
  Value* dst = generic_address(b, inst.operands[0], Space::Shared, false);
  Value* src = generic_address(b, inst.operands[1], Space::Global, false);
  b.lanes().helper("cp_async", b.ir().getVoidTy(), {dst, src, size, source_size, b.ir().getInt32(b.site(inst))});
}

void complete_tx(BodyLowering& b, const ptx::Instruction& inst, size_t mbarrier, Space space, bool cluster,
                 Value* bytes) {
  Value* at = generic_address(b, inst.operands[mbarrier], space, cluster);
  b.lanes().helper("mbarrier_complete_tx", b.ir().getVoidTy(), {at, bytes, b.ir().getInt32(b.site(inst))});
}

// [dst], [src], size{, [mbar]}{, ctaMask}{, cache-policy}. The mbarrier lies where the destination does.
void lower_cp_async_bulk(BodyLowering& b, const ptx::Instruction& inst) {
  if (inst.mods.mode == Mode::Commit) return async_group(b, inst, AsyncOp::BulkCommit);
  if (inst.mods.mode == Mode::WaitGroup)
    return async_group(b, inst, has_word(inst, "read") ? AsyncOp::BulkWaitRead : AsyncOp::BulkWait);
  const auto& ops = inst.operands;
  if (ops[1].kind != Operand::Kind::Address) return; // .prefetch
  Value* at = b.ir().getInt32(b.site(inst));
  Value* size = b.integer(ops[2], 32);
  Value* dst = generic_address(b, ops[0], inst.mods.space, inst.mods.cluster_space);
  Value* src = generic_address(b, ops[1], inst.mods.space2, false);
  if (std::ranges::find(inst.mods.ignored, "multicast::cluster") != inst.mods.ignored.end()) {
    Value* mbarrier = generic_address(b, ops[3], Space::Shared, true);
    b.lanes().helper("cp_bulk_multicast", b.ir().getVoidTy(), {dst, src, size, mbarrier, b.integer(ops[4], 32), at});
    return;
  }
  const bool counted = ops.size() > 3 && ops[3].kind == Operand::Kind::Address;
  Value* object = counted ? generic_address(b, ops[3], Space::Shared, inst.mods.cluster_space) : b.ir().getInt64(0);
  b.lanes().helper("async_bulk", b.ir().getVoidTy(), {dst, src, size, object, at});
  b.lanes().helper("cp_bulk", b.ir().getVoidTy(), {dst, src, size, at});
  if (counted) complete_tx(b, inst, 3, Space::Shared, inst.mods.cluster_space, size);
}

// [dst], [src], size{, [mbar]}{, cache-policy}: dst[i] = dst[i] op src[i]
void lower_cp_reduce(BodyLowering& b, const ptx::Instruction& inst) {
  const auto& ops = inst.operands;
  const auto op = atom_op(inst.mods);
  if (!op) return b.fail(inst, "unknown reduction");
  auto& ir = b.ir();
  Value* size = b.integer(ops[2], 32);
  Value* dst = generic_address(b, ops[0], inst.mods.space, inst.mods.cluster_space);
  Value* src = generic_address(b, ops[1], inst.mods.space2, false);
  const unsigned element = ptx::bit_width(inst.mods.types[0]) / 8;
  b.lanes().helper("cp_reduce_bulk", ir.getVoidTy(),
                   {dst, src, size, ir.getInt32(uint32_t(*op)), ir.getInt32(element), ir.getInt32(b.site(inst))});
  if (ops.size() > 3 && ops[3].kind == Operand::Kind::Address) complete_tx(b, inst, 3, Space::Shared, true, size);
}

// st.async [a], b, [mbar]: a store to the cluster's shared memory that completes its bytes there.
void lower_st_async(BodyLowering& b, const ptx::Instruction& inst) {
  ptx::Instruction store = inst;
  store.mods.sem = ptx::Semantics::Weak;
  lower_store(b, store);
  const unsigned bytes = ptx::bit_width(inst.mods.types[0]) / 8 * inst.mods.vec;
  complete_tx(b, inst, 2, inst.mods.space, true, b.ir().getInt32(bytes));
}

// red.async [a], b, [mbar]
void lower_red_async(BodyLowering& b, const ptx::Instruction& inst) {
  lower_atomic(b, inst, false);
  complete_tx(b, inst, 2, inst.mods.space, true, b.ir().getInt32(ptx::bit_width(inst.mods.types[0]) / 8));
}

} // namespace

BodyLowerFn find_async(std::string_view mnemonic) {
  static const std::unordered_map<std::string_view, BodyLowerFn> table = {
      {"cp.async", lower_cp_async}, {"cp.async.bulk", lower_cp_async_bulk}, {"cp.reduce.async.bulk", lower_cp_reduce},
      {"st.async", lower_st_async}, {"red.async", lower_red_async},
  };
  auto it = table.find(mnemonic);
  return it == table.end() ? nullptr : it->second;
}

} // namespace tollgate::lower
