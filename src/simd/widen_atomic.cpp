// Atomics of a warp: lanes in ascending order. Memory of the block itself needs no lock, since a block stays on one
// host thread: there, what a processor does in one instruction becomes one instruction a lane; the rest are helpers of
// exec/.
#include "simd/widener.h"

#include <cstddef>

namespace tollgate::simd {

using namespace llvm;

namespace {

// The instruction that turns the old value into the new one; none for what takes more than one. Exch: the operand
// itself.
std::optional<Instruction::BinaryOps> simple_operation(AtomOp op) {
  switch (op) {
  case AtomOp::Add: return Instruction::Add;
  case AtomOp::And: return Instruction::And;
  case AtomOp::Or: return Instruction::Or;
  case AtomOp::Xor: return Instruction::Xor;
  default: return std::nullopt;
  }
}

std::optional<Intrinsic::ID> extreme_operation(AtomOp op) {
  switch (op) {
  case AtomOp::MinS: return Intrinsic::smin;
  case AtomOp::MaxS: return Intrinsic::smax;
  case AtomOp::MinU: return Intrinsic::umin;
  case AtomOp::MaxU: return Intrinsic::umax;
  default: return std::nullopt;
  }
}

} // namespace

// Operands go through memory: an address each from a stored vector costs a load, out of a register two or three
// instructions. The loads are volatile lest the optimiser take them back into registers.
Value* Widener::update_shared(AtomOp op, Value* address, AccessDesc desc, Value* operand, bool used) {
  Type* element = operand->getType()->getScalarType();
  Type* offset_type = b_.getInt32Ty();
  Value* base = b_.CreateIntToPtr(shared_base(desc), PointerType::get(context_, 0));
  Value* offsets = spill(shared_offsets(address));
  Value* operands = operand->getType()->isVectorTy() ? spill(operand) : nullptr;
  Value* out = used ? scratch(wide(element)) : nullptr;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    Value* offset = b_.CreateLoad(offset_type, b_.CreateConstGEP1_64(offset_type, offsets, lane), true);
    Value* place = b_.CreateGEP(b_.getInt8Ty(), base, b_.CreateZExt(offset, b_.getInt64Ty()));
    Value* a = operands ? b_.CreateLoad(element, b_.CreateConstGEP1_64(element, operands, lane), true) : operand;
    Value* old = b_.CreateAlignedLoad(element, place, Align(1));
    Value* next = a;
    if (auto simple = simple_operation(op)) next = b_.CreateBinOp(*simple, old, a);
    if (auto extreme = extreme_operation(op)) next = b_.CreateBinaryIntrinsic(*extreme, old, a);
    b_.CreateAlignedStore(next, place, Align(1));
    if (used) b_.CreateStore(old, b_.CreateConstGEP1_64(element, out, lane));
  }
  return used ? b_.CreateLoad(wide(element), out) : nullptr;
}

// tg.atom(address, op, desc, site, a, b). A result nobody reads needs no array.
void Widener::emit_atomic(CallInst* call) {
  Value* address = call->getArgOperand(0);
  auto op = AtomOp(cast<ConstantInt>(call->getArgOperand(1))->getZExtValue());
  AccessDesc desc = access_of(*call);
  observe(call, address, desc, call->getArgOperand(3));
  Type* element = call->getType();
  const uint64_t bytes = element->getIntegerBitWidth() / 8;
  const bool used = !call->use_empty();
  const bool shared = desc.space == kSpaceShared;

  Block *done = nullptr, *inline_end = nullptr;
  Value* quick = nullptr;
  const Made before = made_;
  const bool simple = simple_operation(op) || extreme_operation(op) || op == AtomOp::Exch;
  if (shared && !is_large_ && simple && (bytes == 4 || bytes == 8)) {
    Block* full = Block::Create(context_, "atomic.full", step_);
    Block* rest = Block::Create(context_, "atomic.rest", step_);
    done = Block::Create(context_, "atomic.done", step_);
    branch_likely(b_.CreateICmpEQ(mask_, i32(kAllLanes)), full, rest);
    b_.SetInsertPoint(full);
    Value* operand = call->getArgOperand(4);
    quick = update_shared(op, address, desc, uniform(operand) ? scalar(operand) : vec(operand), used);
    inline_end = b_.GetInsertBlock();
    b_.CreateBr(done);
    scratch_used_ = 0;
    b_.SetInsertPoint(rest);
    made_ = before;
  }

  std::string name = std::string("tgh_") + (used ? "atom_" : "red_") + (shared ? "shared_" : "") +
                     std::string(atom_name(op)) + "_" + std::to_string(bytes);
  SmallVector<Value*, 6> args{mask_, spill(host_address(vec(address), desc, false)),
                              spill(vec(call->getArgOperand(4)))};
  if (op == AtomOp::Cas) args.push_back(spill(vec(call->getArgOperand(5))));
  Value* out = used ? scratch(wide(element)) : nullptr;
  if (used) args.push_back(out);
  call_runtime(name, b_.getVoidTy(), args);
  scratch_used_ = 0;
  Value* result = used ? b_.CreateLoad(wide(element), out) : nullptr;
  if (done != nullptr) {
    Block* helper_end = b_.GetInsertBlock();
    b_.CreateBr(done);
    b_.SetInsertPoint(done);
    made_ = before;
    if (used) {
      PHINode* either = b_.CreatePHI(wide(element), 2);
      either->addIncoming(quick, inline_end);
      either->addIncoming(result, helper_end);
      result = either;
    }
  }
  if (used) define(call, result);
}

} // namespace tollgate::simd
