// PTX ISA 9.7.9: mov (scalars, packing and unpacking) and prmt.
#include "lower/chapters.h"
#include "lower/ops.h"

#include <array>

namespace tollgate::lower {
namespace {

using ptx::Mode;
using ptx::Operand;

Type bits_type(unsigned width) {
  switch (width) {
  case 8: return Type::B8;
  case 16: return Type::B16;
  case 32: return Type::B32;
  default: return Type::B64;
  }
}

// mov.b64 d, {lo, hi}: the first element lands in the low bits.
void pack(LaneBuilder& lb, const Instruction& inst, Type type) {
  auto& ir = lb.ir();
  const auto& elements = inst.operands[1].list;
  const unsigned width = ptx::bit_width(type) / static_cast<unsigned>(elements.size());
  llvm::Type* whole = lb.type_of(type);
  Value* packed = llvm::ConstantInt::get(whole, 0);
  for (unsigned i = 0; i < elements.size(); ++i) {
    Value* element = ir.CreateZExt(lb.use(elements[i], bits_type(width)), whole);
    packed = ir.CreateOr(packed, ir.CreateShl(element, i * width));
  }
  result(lb, inst, type, packed);
}

void unpack(LaneBuilder& lb, const Instruction& inst, Type type) {
  auto& ir = lb.ir();
  const auto& elements = inst.operands[0].list;
  const unsigned width = ptx::bit_width(type) / static_cast<unsigned>(elements.size());
  Value* whole = source(lb, inst, 1, type);
  for (unsigned i = 0; i < elements.size(); ++i)
    lb.def(elements[i], bits_type(width), ir.CreateTrunc(ir.CreateLShr(whole, i * width), ir.getIntNTy(width)));
}

// The bit type of the same width; a pack or unpack is about bits even where the type says f64.
Type as_bits(Type type) { return ptx::bit_width(type) == 128 ? Type::B128 : bits_type(ptx::bit_width(type)); }

using Selectors = std::array<Value*, 4>; // of the 8 bytes of {b, a}, for each byte of the result

// The modes other than the default one derive the four selectors from the low two bits of c.
Selectors mode_selectors(LaneBuilder& lb, Mode mode, Value* c) {
  auto& ir = lb.ir();
  Value* n = ir.CreateAnd(c, 3);
  Selectors selectors{};
  for (unsigned i = 0; i < 4; ++i) {
    Value* index = ir.getInt32(i);
    switch (mode) {
    case Mode::F4e: selectors[i] = ir.CreateAdd(n, index); break;
    case Mode::B4e: selectors[i] = ir.CreateAnd(ir.CreateSub(n, index), 7); break;
    case Mode::Rc8: selectors[i] = n; break;
    case Mode::Ecl: selectors[i] = umax(lb, n, index); break;
    case Mode::Ecr: selectors[i] = umin(lb, n, index); break;
    default: selectors[i] = ir.CreateAdd(ir.CreateShl(ir.CreateAnd(n, 1), 1), ir.getInt32(i & 1)); break; // Rc16
    }
  }
  return selectors;
}

// Byte `selector` & 7 of {b, a}; bit 3 of the selector asks for the byte's sign in all its bits.
Value* pick_byte(LaneBuilder& lb, Value* a, Value* b, Value* selector) {
  auto& ir = lb.ir();
  Value* from_b = ir.CreateICmpNE(ir.CreateAnd(selector, 4), ir.getInt32(0));
  Value* word = ir.CreateSelect(from_b, b, a);
  Value* byte = ir.CreateAnd(ir.CreateLShr(word, ir.CreateShl(ir.CreateAnd(selector, 3), 3)), 0xff);
  Value* sign = ir.CreateAnd(ir.CreateAShr(ir.CreateShl(byte, 24), 31), 0xff);
  return ir.CreateSelect(ir.CreateICmpNE(ir.CreateAnd(selector, 8), ir.getInt32(0)), sign, byte);
}

} // namespace

void lower_mov(LaneBuilder& lb, const Instruction& inst) {
  const Type type = first_type(inst);
  const Operand& to = inst.operands[0];
  const Operand& from = inst.operands[1];
  const bool vector_to = to.kind == Operand::Kind::Vector;
  const bool vector_from = from.kind == Operand::Kind::Vector;
  if (vector_to && vector_from) { // mov.v2.f32 {a, b}, {c, d}: read all before writing any
    llvm::SmallVector<Value*, 4> values;
    for (const Operand& element : from.list) values.push_back(lb.use(element, type));
    for (size_t i = 0; i < to.list.size() && i < values.size(); ++i) lb.def(to.list[i], type, values[i]);
    return;
  }
  if (vector_from) return pack(lb, inst, as_bits(type));
  if (vector_to) return unpack(lb, inst, as_bits(type));
  result(lb, inst, type, source(lb, inst, 1, type));
}

void lower_prmt(LaneBuilder& lb, const Instruction& inst) {
  auto& ir = lb.ir();
  Value* a = source(lb, inst, 1, Type::B32);
  Value* b = source(lb, inst, 2, Type::B32);
  Value* c = source(lb, inst, 3, Type::B32);
  Selectors selectors{};
  if (inst.mods.mode != Mode::None) {
    selectors = mode_selectors(lb, inst.mods.mode, c);
  } else {
    for (unsigned i = 0; i < 4; ++i) selectors[i] = ir.CreateAnd(ir.CreateLShr(c, 4 * i), 15);
  }
  Value* packed = ir.getInt32(0);
  for (unsigned i = 0; i < 4; ++i) packed = ir.CreateOr(packed, ir.CreateShl(pick_byte(lb, a, b, selectors[i]), 8 * i));
  result(lb, inst, Type::B32, packed);
}

} // namespace tollgate::lower
