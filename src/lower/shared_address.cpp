#include "lower/shared_address.h"

#include "simd/warp_context.h"

namespace tollgate::lower {

using namespace llvm;

Value* cluster_to_generic(BodyLowering& b, Value* address) {
  auto& ir = b.ir();
  Value* offset = ir.CreateAnd(address, ir.getInt64(0xffffffffu));
  Value* own = ir.CreateICmpULT(offset, ir.getInt64(simd::kSharedWindow));
  Value* window = ir.CreateAnd(b.lanes().shared_base(), ir.getInt64(~0xffffffffull));
  return ir.CreateAdd(offset, ir.CreateSelect(own, b.lanes().shared_base(), window));
}

Value* generic_to_cluster(BodyLowering& b, Value* address) {
  auto& ir = b.ir();
  Value* offset = ir.CreateSub(address, b.lanes().shared_base());
  Value* own = ir.CreateICmpULT(offset, ir.getInt64(simd::kSharedWindow));
  return ir.CreateSelect(own, offset, ir.CreateAnd(address, ir.getInt64(0xffffffffu)));
}

Value* generic_address(BodyLowering& b, const ptx::Operand& operand, ptx::Space space, bool cluster_space) {
  const auto a = b.address(operand, space);
  if (a.pointer) return b.ir().CreatePtrToInt(a.pointer, b.ir().getInt64Ty());
  if (a.space != ptx::Space::Shared) return a.value;
  if (cluster_space) return cluster_to_generic(b, a.value);
  return b.ir().CreateAdd(b.ir().CreateAnd(a.value, b.ir().getInt64(0xffffffffu)), b.lanes().shared_base());
}

} // namespace tollgate::lower
