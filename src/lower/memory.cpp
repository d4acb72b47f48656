// Data movement through memory (PTX ISA 9.7.9) and atomics (9.7.13): ld, st, atom, red, cvta, isspacep, prefetch, mapa.
#include "lower/memory_access.h"
#include "lower/shared_address.h"
#include "simd/warp_context.h"

#include <algorithm>
#include <unordered_map>

namespace tollgate::lower {

using namespace llvm;
using observe::AccessKind;
using observe::MemorySpace;
using observe::Order;
using observe::SyncScope;
using ptx::Operand;
using ptx::Space;
using ptx::Type;

namespace {

MemorySpace memory_space(Space space) {
  switch (space) {
  case Space::Global: return MemorySpace::Global;
  case Space::Shared: return MemorySpace::Shared;
  case Space::Local: return MemorySpace::Local;
  case Space::Const: return MemorySpace::Const;
  case Space::Param: return MemorySpace::Param;
  default: return MemorySpace::Generic;
  }
}

Order order_of(const ptx::Modifiers& mods, Order unspecified) {
  switch (mods.sem) {
  case ptx::Semantics::Volatile:
  case ptx::Semantics::Mmio: return Order::Volatile;
  case ptx::Semantics::Relaxed: return Order::Relaxed;
  case ptx::Semantics::Acquire: return Order::Acquire;
  case ptx::Semantics::Release: return Order::Release;
  case ptx::Semantics::AcqRel: return Order::AcqRel;
  case ptx::Semantics::SC: return Order::SeqCst;
  case ptx::Semantics::Weak: return Order::Weak;
  case ptx::Semantics::None: break;
  }
  return unspecified;
}

SyncScope scope_of(ptx::Scope scope, SyncScope unspecified) {
  switch (scope) {
  case ptx::Scope::Cta: return SyncScope::Cta;
  case ptx::Scope::Cluster: return SyncScope::Cluster;
  case ptx::Scope::Gpu: return SyncScope::Gpu;
  case ptx::Scope::Sys: return SyncScope::Sys;
  case ptx::Scope::None: break;
  }
  return unspecified;
}

simd::AccessDesc describe(AccessKind kind, Space space, Order order, SyncScope scope, uint64_t bytes) {
  simd::AccessDesc d;
  d.kind = uint8_t(kind);
  d.space = uint8_t(memory_space(space));
  d.order = uint8_t(order);
  d.scope = uint8_t(scope);
  d.bytes = uint8_t(bytes);
  return d;
}

// The elements of an operand that may be a vector.
std::vector<const Operand*> elements(const Operand& operand) {
  std::vector<const Operand*> out;
  if (operand.kind == Operand::Kind::Vector)
    for (const Operand& e : operand.list) out.push_back(&e);
  else
    out.push_back(&operand);
  return out;
}

llvm::Type* element_type(BodyLowering& b, Type type) { return b.ir().getIntNTy(std::max(8u, ptx::bit_width(type))); }

Order access_order(const ptx::Modifiers& mods) { return order_of(mods, Order::Weak); }

SyncScope access_scope(const ptx::Modifiers& mods) {
  return scope_of(mods.scope, mods.sem == ptx::Semantics::Volatile ? SyncScope::Sys : SyncScope::None);
}

// A register may name the shared memory of another block of the cluster; a variable is the block's own.
BodyLowering::Address accessed(BodyLowering& b, const Operand& operand, const ptx::Modifiers& mods) {
  auto a = b.address(operand, mods.space);
  if (a.space == Space::Shared && mods.cluster_space && !operand.symbol) {
    a.value = cluster_to_generic(b, a.value);
    a.space = Space::Generic;
  }
  return a;
}

void lower_ld(BodyLowering& b, const ptx::Instruction& inst) {
  Type type = inst.mods.types[0];
  auto dst = elements(inst.operands[0]);
  auto a = accessed(b, inst.operands[1], inst.mods);
  llvm::Type* element = element_type(b, type);
  uint64_t bytes = element->getIntegerBitWidth() / 8;
  std::vector<Value*> values;
  if (a.is_kernel_param) {
    for (size_t i = 0; i < dst.size(); ++i)
      values.push_back(b.lanes().load_param(element, uint32_t(a.offset + i * bytes)));
  } else if (a.pointer) {
    for (size_t i = 0; i < dst.size(); ++i) {
      Value* p = i == 0 ? a.pointer : b.ir().CreateConstGEP1_64(b.ir().getInt8Ty(), a.pointer, i * bytes);
      values.push_back(b.ir().CreateAlignedLoad(element, p, Align(1)));
    }
  } else {
    auto desc =
        describe(AccessKind::Load, a.space, access_order(inst.mods), access_scope(inst.mods), bytes * dst.size());
    values = b.lanes().load(element, unsigned(dst.size()), a.value, desc, b.site(inst));
  }
  for (size_t i = 0; i < dst.size(); ++i) {
    Value* v = values[i];
    llvm::Type* t = b.type_of(type);
    if (t->isIntegerTy() && t != v->getType()) v = b.ir().CreateTrunc(v, t);
    b.def(*dst[i], type, v);
  }
}

} // namespace

void lower_store(BodyLowering& b, const ptx::Instruction& inst) {
  Type type = inst.mods.types[0];
  auto a = accessed(b, inst.operands[0], inst.mods);
  llvm::Type* element = element_type(b, type);
  uint64_t bytes = element->getIntegerBitWidth() / 8;
  std::vector<Value*> values;
  for (const Operand* e : elements(inst.operands[1])) {
    Value* v = e->kind == Operand::Kind::Sink ? Constant::getNullValue(b.type_of(type)) : b.use(*e, type);
    if (v->getType()->isFloatingPointTy()) v = b.ir().CreateBitCast(v, element);
    values.push_back(b.ir().CreateZExtOrTrunc(v, element));
  }
  if (a.pointer) {
    for (size_t i = 0; i < values.size(); ++i) {
      Value* p = i == 0 ? a.pointer : b.ir().CreateConstGEP1_64(b.ir().getInt8Ty(), a.pointer, i * bytes);
      b.ir().CreateAlignedStore(values[i], p, Align(1));
    }
    return;
  }
  auto desc =
      describe(AccessKind::Store, a.space, access_order(inst.mods), access_scope(inst.mods), bytes * values.size());
  b.lanes().store(values, a.value, desc, b.site(inst));
}

std::optional<simd::AtomOp> atom_op(const ptx::Modifiers& mods) {
  using simd::AtomOp;
  Type t = mods.types[0];
  bool sgn = ptx::is_signed(t);
  switch (mods.op) {
  case ptx::Op::Add:
    switch (t) {
    case Type::F32: return mods.ftz ? AtomOp::AddF32Ftz : AtomOp::AddF32;
    case Type::F64: return AtomOp::AddF64;
    case Type::F16: return AtomOp::AddF16;
    case Type::BF16: return AtomOp::AddBF16;
    case Type::F16x2: return AtomOp::AddF16x2;
    case Type::BF16x2: return AtomOp::AddBF16x2;
    default: return AtomOp::Add;
    }
  case ptx::Op::Min:
    switch (t) {
    case Type::F16: return AtomOp::MinF16;
    case Type::BF16: return AtomOp::MinBF16;
    case Type::F16x2: return AtomOp::MinF16x2;
    case Type::BF16x2: return AtomOp::MinBF16x2;
    default: return sgn ? AtomOp::MinS : AtomOp::MinU;
    }
  case ptx::Op::Max:
    switch (t) {
    case Type::F16: return AtomOp::MaxF16;
    case Type::BF16: return AtomOp::MaxBF16;
    case Type::F16x2: return AtomOp::MaxF16x2;
    case Type::BF16x2: return AtomOp::MaxBF16x2;
    default: return sgn ? AtomOp::MaxS : AtomOp::MaxU;
    }
  case ptx::Op::Inc: return AtomOp::Inc;
  case ptx::Op::Dec: return AtomOp::Dec;
  case ptx::Op::Exch: return AtomOp::Exch;
  case ptx::Op::Cas: return AtomOp::Cas;
  case ptx::Op::And: return AtomOp::And;
  case ptx::Op::Or: return AtomOp::Or;
  case ptx::Op::Xor: return AtomOp::Xor;
  default: return std::nullopt;
  }
}

namespace {

Value* bits_of(BodyLowering& b, const Operand& operand, Type type) {
  Value* v = b.use(operand, type);
  return v->getType()->isIntegerTy() ? v : b.ir().CreateBitCast(v, element_type(b, type));
}

} // namespace

void lower_atomic(BodyLowering& b, const ptx::Instruction& inst, bool has_destination) {
  Type type = inst.mods.types[0];
  auto op = atom_op(inst.mods);
  if (!op) return b.fail(inst, "unknown atomic operation");
  size_t at = has_destination ? 1 : 0;
  auto a = accessed(b, inst.operands[at], inst.mods);
  if (a.pointer) a.value = b.ir().CreatePtrToInt(a.pointer, b.ir().getInt64Ty());
  auto values = elements(inst.operands[at + 1]);
  llvm::Type* element = element_type(b, type);
  uint64_t bytes = element->getIntegerBitWidth() / 8;
  Order order = order_of(inst.mods, Order::Relaxed); // .relaxed is the default of atom and red
  SyncScope scope = scope_of(inst.mods.scope, SyncScope::Gpu);
  std::vector<const Operand*> dst;
  if (has_destination) dst = elements(inst.operands[0]);
  for (size_t i = 0; i < values.size(); ++i) {
    Value* address = i == 0 ? a.value : b.ir().CreateAdd(a.value, b.ir().getInt64(i * bytes));
    Value* second = inst.mods.op == ptx::Op::Cas ? bits_of(b, inst.operands[at + 2], type) : nullptr;
    auto desc = describe(AccessKind::Atomic, a.space, order, scope, bytes);
    desc.compares = inst.mods.op == ptx::Op::Cas;
    Value* old = b.lanes().atom(*op, address, bits_of(b, *values[i], type), second, desc, b.site(inst));
    if (i < dst.size()) {
      llvm::Type* t = b.type_of(type);
      b.def(*dst[i], type, t->isIntegerTy() ? old : b.ir().CreateBitCast(old, t));
    }
  }
}

namespace {

// Shared addresses are offsets; every other space shares the generic numbers (exec/address.h).
void lower_cvta(BodyLowering& b, const ptx::Instruction& inst) {
  Type type = inst.mods.types[0];
  Value* v = nullptr;
  const Operand& source = inst.operands[1];
  if (source.kind == Operand::Kind::SymbolAddress || source.kind == Operand::Kind::Address) {
    auto a = b.address(source, inst.mods.space);
    v = a.pointer ? b.ir().CreatePtrToInt(a.pointer, b.ir().getInt64Ty()) : a.value;
    if (a.is_kernel_param) v = b.ir().CreateAdd(b.lanes().param_base(), b.ir().getInt64(a.offset));
  } else {
    v = b.integer(source, 64);
  }
  if (inst.mods.space == Space::Shared) {
    // Code takes the address of another block's shared memory through .shared as well (libcu++ does): where mapa has
    // made one, the general form.
    const bool any_block = source.kind == Operand::Kind::Register && (inst.mods.cluster_space || b.state().maps_shared);
    if (inst.mods.to)
      v = any_block ? generic_to_cluster(b, v) : b.ir().CreateSub(v, b.lanes().shared_base());
    else
      v = any_block ? cluster_to_generic(b, v) : b.ir().CreateAdd(v, b.lanes().shared_base());
  }
  b.def(inst.operands[0], type, b.ir().CreateZExtOrTrunc(v, b.type_of(type)));
}

void lower_isspacep(BodyLowering& b, const ptx::Instruction& inst) {
  Value* a = b.integer(inst.operands[1], 64);
  Value* r = nullptr;
  if (inst.mods.space == Space::Shared) {
    // Wherever the slab in the window ends. A cluster's blocks share 4 GiB (exec/address.h).
    Value* base = b.lanes().shared_base();
    r = inst.mods.cluster_space ? b.ir().CreateICmpEQ(b.ir().CreateLShr(a, 32), b.ir().CreateLShr(base, 32))
                                : b.ir().CreateICmpULT(b.ir().CreateSub(a, base), b.ir().getInt64(simd::kSharedWindow));
  } else {
    Value* space = b.ir().getInt32(uint32_t(memory_space(inst.mods.space)));
    r = b.ir().CreateICmpNE(b.lanes().helper("isspacep", b.ir().getInt32Ty(), {a, space}), b.ir().getInt32(0));
  }
  b.def(inst.operands[0], Type::Pred, r);
}

// mapa{.space}.type d, a, b: the same place in the block of rank b. A rank beyond the cluster gives an address where
// nothing is.
void lower_mapa(BodyLowering& b, const ptx::Instruction& inst) {
  Type type = inst.mods.types[0];
  auto& ir = b.ir();
  const Operand& source = inst.operands[1];
  const bool is_symbol = source.kind == Operand::Kind::SymbolAddress;
  Value* offset = is_symbol ? b.symbol_value(source) : b.integer(source, 64);
  // Every block's shared memory starts at a multiple of the window.
  offset = ir.CreateAnd(offset, ir.getInt64(simd::kSharedWindow - 1));
  Value* rank = b.integer(inst.operands[2], 32);
  rank = ir.CreateBinaryIntrinsic(Intrinsic::umin, rank, ir.getInt32(simd::kMostRanks));
  Value* block = ir.CreateMul(ir.CreateZExt(rank, ir.getInt64Ty()), ir.getInt64(2 * simd::kSharedWindow));
  Value* v = ir.CreateAdd(ir.CreateAdd(b.lanes().cluster_base(), block), offset);
  if (inst.mods.space == Space::Shared) v = ir.CreateAnd(v, ir.getInt64(0xffffffffu));
  b.def(inst.operands[0], type, ir.CreateZExtOrTrunc(v, b.type_of(type)));
}

void lower_getctarank(BodyLowering& b, const ptx::Instruction& inst) {
  auto& ir = b.ir();
  const Operand& source = inst.operands[1];
  Value* v = nullptr;
  if (source.kind == Operand::Kind::SymbolAddress)
    v = b.lanes().shared_base();
  else if (inst.mods.space == Space::Shared)
    v = cluster_to_generic(b, b.integer(source, 64));
  else
    v = b.integer(source, 64);
  v = ir.CreateUDiv(ir.CreateSub(v, b.lanes().cluster_base()), ir.getInt64(2 * simd::kSharedWindow));
  b.def(inst.operands[0], Type::U32, ir.CreateTrunc(v, ir.getInt32Ty()));
}

// A cache policy is an opaque value that only hints take.
void lower_createpolicy(BodyLowering& b, const ptx::Instruction& inst) {
  b.def(inst.operands[0], Type::B64, b.ir().getInt64(0));
}

void lower_nothing(BodyLowering&, const ptx::Instruction&) {}

} // namespace

BodyLowerFn find_memory(std::string_view mnemonic) {
  static const std::unordered_map<std::string_view, BodyLowerFn> table = {
      {"ld", lower_ld},
      {"ldu", lower_ld},
      {"st", lower_store},
      {"atom", [](BodyLowering& b, const ptx::Instruction& i) { lower_atomic(b, i, true); }},
      {"red", [](BodyLowering& b, const ptx::Instruction& i) { lower_atomic(b, i, false); }},
      {"cvta", lower_cvta},
      {"isspacep", lower_isspacep},
      {"prefetch", lower_nothing},
      {"prefetchu", lower_nothing},
      {"applypriority", lower_nothing},
      {"discard", lower_nothing},
      {"mapa", lower_mapa},
      {"getctarank", lower_getctarank},
      {"createpolicy", lower_createpolicy},
  };
  auto it = table.find(mnemonic);
  return it == table.end() ? nullptr : it->second;
}

} // namespace tollgate::lower
