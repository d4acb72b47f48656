// The two operations that follow undefined values (undefined.h): a test in line, and a helper for the rare lanes that
// fail it.
#include "simd/widener.h"

#include <llvm/IR/Instructions.h>

namespace tollgate::simd {

using namespace llvm;

// i1: all lanes of a line find everything written.
Value* Widener::is_line_written(const Line& line, Type* element, unsigned count) {
  const uint64_t bytes = element->getIntegerBitWidth() / 8 * count;
  Value* all = nullptr;
  auto add = [&](Type* type, Value* first, int64_t offset) {
    Value* v = b_.CreateAlignedLoad(type, pointer_at(first, offset), Align(1));
    all = all ? b_.CreateAnd(all, v) : v;
  };
  if (line.stride == int64_t(bytes)) {
    for (Value* first : line.first) add(FixedVectorType::get(element, line.lanes() * count), first, 0);
    all = b_.CreateAndReduce(all);
  } else {
    const unsigned lanes = line.stride == 0 ? 1 : line.lanes();
    for (Value* first : line.first)
      for (unsigned lane = 0; lane < lanes; ++lane)
        for (unsigned i = 0; i < count; ++i)
          add(element, first, int64_t(lane) * line.stride + int64_t(i * bytes / count));
  }
  return b_.CreateICmpEQ(all, Constant::getAllOnesValue(all->getType()));
}

// i1: the lanes that run find everything written.
Value* Widener::are_written(Value* address, AccessDesc bits, Type* element, unsigned count) {
  const uint64_t bytes = element->getIntegerBitWidth() / 8;
  if (uniform(address)) {
    Line line;
    line.first = {host_address(scalar(address), bits, true)};
    return is_line_written(line, element, count);
  }
  auto ask = [&] {
    Value* nowhere = scratch(ArrayType::get(wide(element), count));
    return b_.CreateICmpNE(call_access("written", address, bits, bytes, count, nowhere), i32(0));
  };
  if (out_of_line(address, bits, bytes * count)) return ask();

  const Line line = find_line(address, bits, bytes * count, true);
  Block* full = Block::Create(context_, "written.line", step_);
  Block* rest = Block::Create(context_, "written.rest", step_);
  Block* done = Block::Create(context_, "written.done", step_);
  std::vector<std::pair<Block*, Value*>> ways;
  auto add_way = [&](Value* all) {
    ways.emplace_back(b_.GetInsertBlock(), all);
    b_.CreateBr(done);
  };
  branch_likely(is_whole(line), full, rest);
  const Made before = made_;
  b_.SetInsertPoint(full);
  add_way(is_line_written(line, element, count));
  b_.SetInsertPoint(rest);
  if (line.known && line.stride == int64_t(bytes) && has_masked_move(bytes, count)) {
    Block* masked = Block::Create(context_, "written.masked", step_);
    Block* slow = Block::Create(context_, "written.lanes", step_);
    branch_likely(line.ok ? line.ok : b_.getTrue(), masked, slow);
    b_.SetInsertPoint(masked);
    Value* ones = Constant::getAllOnesValue(FixedVectorType::get(element, line.lanes()));
    Value* all = ones;
    for (Value* row : load_masked(line, element, ones)) all = b_.CreateAnd(all, row);
    all = b_.CreateAndReduce(all);
    add_way(b_.CreateICmpEQ(all, Constant::getAllOnesValue(all->getType())));
    b_.SetInsertPoint(slow);
  }
  add_way(ask());
  b_.SetInsertPoint(done);
  made_ = before;
  PHINode* all = b_.CreatePHI(b_.getInt1Ty(), unsigned(ways.size()));
  for (const auto& [block, way] : ways) all->addIncoming(way, block);
  return all;
}

// One vector for each of `count` elements, of a uniform address one value. Lanes that do not run have ones.
std::vector<Value*> Widener::written_bits(Value* address, AccessDesc bits, Type* element, unsigned count) {
  const uint64_t bytes = element->getIntegerBitWidth() / 8;
  std::vector<Value*> values;
  if (uniform(address)) {
    Value* host = host_address(scalar(address), bits, true);
    for (unsigned i = 0; i < count; ++i)
      values.push_back(b_.CreateAlignedLoad(element, pointer_at(host, int64_t(i * bytes)), Align(1)));
    return values;
  }
  Type* type = ArrayType::get(wide(element), count);
  Value* out = scratch(type);
  auto at = [&](unsigned i) { return b_.CreateConstGEP2_64(type, out, 0, i); };
  // What was missing a moment ago another thread may have written: then the helper leaves all as it is.
  for (unsigned i = 0; i < count; ++i) b_.CreateStore(Constant::getAllOnesValue(wide(element)), at(i));
  call_access("written", address, bits, bytes, count, out);
  for (unsigned i = 0; i < count; ++i) values.push_back(b_.CreateLoad(wide(element), at(i)));
  return values;
}

// tg.undefined_load(address, access, site)
void Widener::emit_undefined_load(CallInst* call) {
  Value* address = call->getArgOperand(0);
  const AccessDesc desc = AccessDesc::decode(immediate(*call, 1)), bits = desc.of_written_bits();
  auto* results = cast<StructType>(call->getType());
  const unsigned count = results->getNumElements() / 2;
  Type* element = results->getElementType(0);
  const bool one = uniform(call);
  Value* all = are_written(address, bits, element, count);
  Block* before = b_.GetInsertBlock();
  Block* rare = Block::Create(context_, "undefined.load", step_);
  Block* done = Block::Create(context_, "defined", step_);
  branch_likely(all, done, rare);

  b_.SetInsertPoint(rare);
  const Made made_before = made_;
  const std::vector<Value*> written = written_bits(address, bits, element, count);
  Value* addresses = vec(address);
  if (desc.space == kSpaceShared) {
    Value* base = load_block(b_.getInt64Ty(), offsetof(BlockContext, shared_device));
    addresses = b_.CreateAdd(splat(base), b_.CreateAnd(addresses, splat(i64(0xffffffffu))));
  }
  Value* first = one ? b_.CreateBinaryIntrinsic(Intrinsic::cttz, mask_, b_.getFalse()) : nullptr;
  // What nobody asks for is not made: LLVM would compute the origins from the bits in the common way.
  std::vector<bool> asked(size_t(count) * 2);
  for (const User* user : call->users()) asked[cast<ExtractValueInst>(user)->getIndices()[0]] = true;
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
  for (size_t i = 0; i < found.size(); ++i) {
    Value*& v = found[i];
    if (!asked[i]) continue;
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
  branch_likely(b_.CreateICmpEQ(lanes, i32(0)), done, rare);
  b_.SetInsertPoint(rare);
  call_runtime("tgh_undefined_use", b_.getVoidTy(),
               {warp_, lanes, spill(b_.CreateZExt(sites, wide(b_.getInt32Ty()))), call->getArgOperand(1),
                call->getArgOperand(2)});
  scratch_used_ = 0;
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
}

} // namespace tollgate::simd
