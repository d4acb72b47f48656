// The two operations that follow undefined values (undefined.h): a test in line, and a helper for the rare lanes that
// fail it.
#include "simd/widener.h"

#include <llvm/IR/Instructions.h>

namespace tollgate::simd {

using namespace llvm;

// tg.undefined_load(missing bits, address, access, site). Lanes that do not run miss nothing: what stands for them in
// the written bits is ones (emit_load).
void Widener::emit_undefined_load(CallInst* call) {
  Value* bits = call->getArgOperand(0);
  Value* address = call->getArgOperand(1);
  const AccessDesc desc = AccessDesc::decode(immediate(*call, 2));
  const bool one = uniform(call);
  Value* v = one ? scalar(bits) : vec(bits);
  Value* all = one ? v : b_.CreateOrReduce(v);
  Value* addresses = vec(address);
  if (desc.space == kSpaceShared) {
    Value* base = load_block(b_.getInt64Ty(), offsetof(BlockContext, shared_device));
    addresses = b_.CreateAdd(splat(base), b_.CreateAnd(addresses, splat(i64(0xffffffffu))));
  }
  Block* before = b_.GetInsertBlock();
  Block* rare = Block::Create(context_, "undefined.load", step_);
  Block* done = Block::Create(context_, "defined", step_);
  b_.CreateCondBr(b_.CreateICmpEQ(all, Constant::getNullValue(all->getType())), done, rare);
  b_.SetInsertPoint(rare);
  Value* whole = one ? splat(v) : v;
  Value* slot = scratch(whole->getType());
  b_.CreateStore(whole, slot);
  call_runtime("tgh_undefined_load", b_.getVoidTy(),
               {warp_, mask_, spill(addresses), call->getArgOperand(2), call->getArgOperand(3), slot});
  Value* kept = b_.CreateLoad(whole->getType(), slot);
  if (one) { // the same for all that run
    Value* first = b_.CreateBinaryIntrinsic(Intrinsic::cttz, mask_, b_.getFalse());
    kept = b_.CreateExtractElement(kept, first);
  }
  scratch_used_ = 0;
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  PHINode* out = b_.CreatePHI(kept->getType(), 2);
  out->addIncoming(Constant::getNullValue(kept->getType()), before);
  out->addIncoming(kept, rare);
  define(call, out);
}

// tg.undefined_use(origin, use, site)
void Widener::emit_undefined_use(CallInst* call) {
  Value* origin = call->getArgOperand(0);
  Value* lanes = nullptr;
  if (uniform(origin))
    lanes = b_.CreateSelect(b_.CreateICmpNE(scalar(origin), i32(0)), mask_, i32(0));
  else
    lanes = b_.CreateAnd(to_bits(b_.CreateICmpNE(vec(origin), splat(i32(0)))), mask_);
  Block* rare = Block::Create(context_, "undefined.use", step_);
  Block* done = Block::Create(context_, "defined", step_);
  Value* sites = vec(origin);
  b_.CreateCondBr(b_.CreateICmpEQ(lanes, i32(0)), done, rare);
  b_.SetInsertPoint(rare);
  call_runtime("tgh_undefined_use", b_.getVoidTy(),
               {warp_, lanes, spill(sites), call->getArgOperand(1), call->getArgOperand(2)});
  scratch_used_ = 0;
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
}

} // namespace tollgate::simd
