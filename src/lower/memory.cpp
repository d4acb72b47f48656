// Data movement through memory (PTX ISA 9.7.9) and atomics (9.7.13): ld, st, atom, red, cvta, isspacep, prefetch,
// cp.async.
#include "lower/body.h"

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

void lower_ld(BodyLowering& b, const ptx::Instruction& inst) {
  Type type = inst.mods.types[0];
  auto dst = elements(inst.operands[0]);
  auto a = b.address(inst.operands[1], inst.mods.space);
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

void lower_st(BodyLowering& b, const ptx::Instruction& inst) {
  Type type = inst.mods.types[0];
  auto a = b.address(inst.operands[0], inst.mods.space);
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

Value* bits_of(BodyLowering& b, const Operand& operand, Type type) {
  Value* v = b.use(operand, type);
  return v->getType()->isIntegerTy() ? v : b.ir().CreateBitCast(v, element_type(b, type));
}

// atom d, [a], b{, c} and red [a], b: the same but for the destination.
void lower_atomic(BodyLowering& b, const ptx::Instruction& inst, bool has_destination) {
  Type type = inst.mods.types[0];
  auto op = atom_op(inst.mods);
  if (!op) return b.fail(inst, "unknown atomic operation");
  size_t at = has_destination ? 1 : 0;
  auto a = b.address(inst.operands[at], inst.mods.space);
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
  if (inst.mods.space == Space::Shared)
    v = inst.mods.to ? b.ir().CreateSub(v, b.lanes().shared_base()) : b.ir().CreateAdd(v, b.lanes().shared_base());
  b.def(inst.operands[0], type, b.ir().CreateZExtOrTrunc(v, b.type_of(type)));
}

void lower_isspacep(BodyLowering& b, const ptx::Instruction& inst) {
  Value* a = b.integer(inst.operands[1], 64);
  Value* r = nullptr;
  if (inst.mods.space == Space::Shared) {
    // A block's shared window spans 4 GiB (exec/address.h), wherever the slab in it ends.
    Value* offset = b.ir().CreateSub(a, b.lanes().shared_base());
    r = b.ir().CreateICmpULT(offset, b.ir().getInt64(1ull << 32));
  } else {
    Value* space = b.ir().getInt32(uint32_t(memory_space(inst.mods.space)));
    r = b.ir().CreateICmpNE(b.lanes().helper("isspacep", b.ir().getInt32Ty(), {a, space}), b.ir().getInt32(0));
  }
  b.def(inst.operands[0], Type::Pred, r);
}

Value* generic_address(BodyLowering& b, const Operand& operand, Space space) {
  auto a = b.address(operand, space);
  if (a.pointer) return b.ir().CreatePtrToInt(a.pointer, b.ir().getInt64Ty());
  if (a.space != Space::Shared) return a.value;
  Value* offset = b.ir().CreateAnd(a.value, b.ir().getInt64(0xffffffffu));
  return b.ir().CreateAdd(offset, b.lanes().shared_base());
}

using observe::AsyncOp;

bool has_word(const ptx::Instruction& inst, std::string_view word) {
  return std::ranges::find(inst.mods.ignored, word) != inst.mods.ignored.end();
}

// What copies are waited for by: no work for us, whose copies are carried out at once, but a checker wants to know.
void async_group(BodyLowering& b, const ptx::Instruction& inst, AsyncOp op) {
  using ptx::Mode;
  const bool counts = inst.mods.mode == Mode::WaitGroup;
  Value* groups = counts ? b.integer(inst.operands[0], 32) : b.ir().getInt32(observe::no_groups);
  b.lanes().helper("async_group", b.ir().getVoidTy(),
                   {b.ir().getInt32(uint32_t(op)), groups, b.ir().getInt32(b.site(inst))});
}

// cp.async.{ca,cg} [dst], [src], cp-size{, src-size | ignore-src}
void lower_cp_async(BodyLowering& b, const ptx::Instruction& inst) {
  using ptx::Mode;
  if (inst.mods.mode == Mode::Commit) return async_group(b, inst, AsyncOp::Commit);
  if (inst.mods.mode == Mode::WaitGroup || inst.mods.mode == Mode::WaitAll) return async_group(b, inst, AsyncOp::Wait);
  Value* at = b.ir().getInt32(b.site(inst));
  if (inst.mods.mode == Mode::MbarrierArrive) {
    Value* object = generic_address(b, inst.operands[0], inst.mods.space);
    b.lanes().helper("mbarrier_async_arrive", b.ir().getVoidTy(), {object, b.ir().getInt32(inst.mods.no_inc), at});
    return;
  }
  Value* size = b.integer(inst.operands[2], 32);
  Value* source_size = size;
  if (inst.operands.size() > 3) {
    const Operand& o = inst.operands[3];
    bool predicate = o.kind == Operand::Kind::Register && b.register_type(o.reg)->getIntegerBitWidth() == 1;
    source_size = predicate ? b.ir().CreateSelect(b.use(o, Type::Pred), b.ir().getInt32(0), size) : b.integer(o, 32);
  }
  Value* dst = generic_address(b, inst.operands[0], Space::Shared);
  Value* src = generic_address(b, inst.operands[1], Space::Global);
  b.lanes().helper("cp_async", b.ir().getVoidTy(), {dst, src, size, source_size, at});
}

// cp.async.bulk (9.7.9.25.4): carried out at once as well; an mbarrier is told of the bytes.
void lower_cp_async_bulk(BodyLowering& b, const ptx::Instruction& inst) {
  using ptx::Mode;
  if (inst.mods.mode == Mode::Commit) return async_group(b, inst, AsyncOp::BulkCommit);
  if (inst.mods.mode == Mode::WaitGroup)
    return async_group(b, inst, has_word(inst, "read") ? AsyncOp::BulkWaitRead : AsyncOp::BulkWait);
  const auto& ops = inst.operands;
  if (ops[1].kind != Operand::Kind::Address) return; // .prefetch
  Value* at = b.ir().getInt32(b.site(inst));
  auto* none = b.ir().getVoidTy();
  Value* size = b.integer(ops[2], 32);
  Value* dst = generic_address(b, ops[0], inst.mods.space);
  Value* src = generic_address(b, ops[1], inst.mods.space2);
  const bool counted = ops.size() > 3 && ops[3].kind == Operand::Kind::Address;
  Value* object = counted ? generic_address(b, ops[3], Space::Shared) : b.ir().getInt64(0);
  b.lanes().helper("cp_async_bulk", none, {dst, src, size, object, at});
  if (counted) b.lanes().helper("mbarrier_complete_tx", none, {object, size, at});
}

// Every block is a cluster of its own: an address of rank 0 is the address itself.
void lower_mapa(BodyLowering& b, const ptx::Instruction& inst) {
  Type type = inst.mods.types[0];
  Value* v = nullptr;
  if (inst.operands[1].kind == Operand::Kind::SymbolAddress)
    v = b.symbol_value(inst.operands[1]);
  else
    v = b.integer(inst.operands[1], 64);
  b.def(inst.operands[0], type, b.ir().CreateZExtOrTrunc(v, b.type_of(type)));
}

void lower_getctarank(BodyLowering& b, const ptx::Instruction& inst) {
  b.def(inst.operands[0], Type::U32, b.ir().getInt32(0));
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
      {"st", lower_st},
      {"atom", [](BodyLowering& b, const ptx::Instruction& i) { lower_atomic(b, i, true); }},
      {"red", [](BodyLowering& b, const ptx::Instruction& i) { lower_atomic(b, i, false); }},
      {"cvta", lower_cvta},
      {"isspacep", lower_isspacep},
      {"prefetch", lower_nothing},
      {"prefetchu", lower_nothing},
      {"applypriority", lower_nothing},
      {"discard", lower_nothing},
      {"cp.async", lower_cp_async},
      {"cp.async.bulk", lower_cp_async_bulk},
      {"mapa", lower_mapa},
      {"getctarank", lower_getctarank},
      {"createpolicy", lower_createpolicy},
  };
  auto it = table.find(mnemonic);
  return it == table.end() ? nullptr : it->second;
}

} // namespace tollgate::lower
