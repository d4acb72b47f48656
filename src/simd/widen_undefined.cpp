// The two operations that follow undefined values (undefined.h): a test in line, and a helper for the rare lanes that
// fail it.
#include "simd/widener.h"

#include <llvm/IR/Instructions.h>

namespace tollgate::simd {

using namespace llvm;

// tg.undefined_load(address, access, site). Lanes that do not run miss nothing: what stands for them in the written
// bits is ones (load_lanes).
void Widener::emit_undefined_load(CallInst* call) {
  Value* address = call->getArgOperand(0);
  const AccessDesc desc = AccessDesc::decode(immediate(*call, 1));
  auto* results = cast<StructType>(call->getType());
  const unsigned count = results->getNumElements() / 2;
  Type* element = results->getElementType(0);
  const bool one = uniform(call);
  const std::vector<Value*> written = load_lanes(address, desc.of_written_bits(), element, count);
  Value* all = written[0];
  for (unsigned i = 1; i < count; ++i) all = b_.CreateAnd(all, written[i]);
  if (!one) all = b_.CreateAndReduce(all);
  Block* before = b_.GetInsertBlock();
  Block* rare = Block::Create(context_, "undefined.load", step_);
  Block* done = Block::Create(context_, "defined", step_);
  b_.CreateCondBr(b_.CreateICmpEQ(all, Constant::getAllOnesValue(all->getType())), done, rare);

  b_.SetInsertPoint(rare);
  const Made made_before = made_;
  Value* addresses = vec(address);
  if (desc.space == kSpaceShared) {
    Value* base = load_block(b_.getInt64Ty(), offsetof(BlockContext, shared_device));
    addresses = b_.CreateAdd(splat(base), b_.CreateAnd(addresses, splat(i64(0xffffffffu))));
  }
  Value* first = one ? b_.CreateBinaryIntrinsic(Intrinsic::cttz, mask_, b_.getFalse()) : nullptr;
  std::vector<Value*> found(size_t(count) * 2);
  for (unsigned i = 0; i < count; ++i) {
    Value* missing = b_.CreateNot(written[i]);
    if (one) missing = splat(missing);
    Value* slot = scratch(missing->getType());
    b_.CreateStore(missing, slot);
    Value* at = i == 0 ? addresses : b_.CreateAdd(addresses, splat(i64(uint64_t(i) * desc.bytes)));
    call_runtime("tgh_undefined_load", b_.getVoidTy(),
                 {warp_, mask_, spill(at), call->getArgOperand(1), call->getArgOperand(2), slot});
    Value* kept = b_.CreateLoad(missing->getType(), slot);
    scratch_used_ = 0;
    if (one) kept = b_.CreateExtractElement(kept, first); // the same for all that run
    Value* none = Constant::getNullValue(kept->getType());
    Value* origin = ConstantInt::get(results->getElementType(count), immediate(*call, 2) + 1);
    if (!one) origin = splat(origin);
    found[i] = kept;
    found[count + i] = b_.CreateSelect(b_.CreateICmpNE(kept, none), origin, Constant::getNullValue(origin->getType()));
  }
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  made_ = made_before;
  for (Value*& v : found) {
    PHINode* phi = b_.CreatePHI(v->getType(), 2);
    phi->addIncoming(Constant::getNullValue(v->getType()), before);
    phi->addIncoming(v, rare);
    v = phi;
  }
  elements_[call] = found;
}

// tg.undefined_use(origin, use, site)
void Widener::emit_undefined_use(CallInst* call) {
  Value* origin = call->getArgOperand(0);
  Value* lanes = nullptr;
  if (uniform(origin))
    lanes = b_.CreateSelect(b_.CreateIsNotNull(scalar(origin)), mask_, i32(0));
  else
    lanes = b_.CreateAnd(to_bits(b_.CreateIsNotNull(vec(origin))), mask_);
  Block* rare = Block::Create(context_, "undefined.use", step_);
  Block* done = Block::Create(context_, "defined", step_);
  Value* sites = vec(origin);
  b_.CreateCondBr(b_.CreateICmpEQ(lanes, i32(0)), done, rare);
  b_.SetInsertPoint(rare);
  call_runtime("tgh_undefined_use", b_.getVoidTy(),
               {warp_, lanes, spill(b_.CreateZExt(sites, wide(b_.getInt32Ty()))), call->getArgOperand(1),
                call->getArgOperand(2)});
  scratch_used_ = 0;
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
}

} // namespace tollgate::simd
