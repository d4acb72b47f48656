#include "scalar_alu.h"

#include "ptx/inst_table.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace tollgate::differential {

using ptx::CmpOp;
using ptx::Mode;
using ptx::Opcode;
using ptx::Type;

namespace {

constexpr uint64_t canonical_nan(Type type) { return type == Type::F32 ? 0x7fffffffu : 0x7fffffffffffffffu; }

double to_double(uint64_t bits, Type type) {
  return type == Type::F32 ? double(std::bit_cast<float>(uint32_t(bits))) : std::bit_cast<double>(bits);
}

uint64_t from_double(double value, Type type) {
  if (std::isnan(value)) return canonical_nan(type);
  return type == Type::F32 ? std::bit_cast<uint32_t>(float(value)) : std::bit_cast<uint64_t>(value);
}

// PTX 9.7.3.11: a NaN loses against a number, and -0 is less than +0.
template <typename F> F smaller(F a, F b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

template <typename F> F larger(F a, F b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

template <typename F, typename Bits>
std::optional<uint64_t> float_arithmetic(Opcode op, std::span<const uint64_t> in, Type type) {
  auto x = [&](size_t i) { return std::bit_cast<F>(Bits(in[i])); };
  F r = 0;
  switch (op) {
  case Opcode::Add: r = x(0) + x(1); break;
  case Opcode::Sub: r = x(0) - x(1); break;
  case Opcode::Mul: r = x(0) * x(1); break;
  case Opcode::Fma:
  case Opcode::Mad: r = std::fma(x(0), x(1), x(2)); break;
  case Opcode::Div: r = x(0) / x(1); break;
  case Opcode::Sqrt: r = std::sqrt(x(0)); break;
  case Opcode::Min: r = smaller(x(0), x(1)); break;
  case Opcode::Max: r = larger(x(0), x(1)); break;
  case Opcode::Neg: r = -x(0); break;
  case Opcode::Abs: r = std::fabs(x(0)); break;
  default: return std::nullopt;
  }
  if (std::isnan(r)) return canonical_nan(type);
  return std::bit_cast<Bits>(r);
}

__extension__ typedef unsigned __int128 Wide;
__extension__ typedef __int128 SignedWide;

// Two operands multiplied exactly; `hi` drops as many bits as the type has.
uint64_t multiply(uint64_t a, uint64_t b, Type type, Mode mode) {
  unsigned bits = ptx::bit_width(type);
  Wide product = ptx::is_signed(type) ? Wide(SignedWide(int64_t(extend(a, type))) * int64_t(extend(b, type)))
                                      : Wide(extend(a, type)) * extend(b, type);
  return uint64_t(mode == Mode::Hi ? product >> bits : product);
}

uint64_t shift_left(uint64_t a, uint32_t n, unsigned bits) { return n >= bits ? 0 : a << n; }

uint64_t shift_right(uint64_t a, uint32_t n, Type type) {
  unsigned bits = ptx::bit_width(type);
  if (ptx::is_signed(type)) return uint64_t(int64_t(extend(a, type)) >> std::min(n, bits - 1));
  return n >= bits ? 0 : truncate(a, type) >> n;
}

uint64_t bit_field(uint64_t a, uint32_t start, uint32_t length, Type type) {
  unsigned bits = ptx::bit_width(type), msb = bits - 1;
  start &= 0xff;
  length &= 0xff;
  bool sign = false;
  if (ptx::is_signed(type) && length != 0) sign = (truncate(a, type) >> std::min(start + length - 1, msb)) & 1;
  uint64_t d = 0;
  for (unsigned i = 0; i <= msb; ++i) {
    bool bit = i < length && start + i <= msb ? (a >> (start + i)) & 1 : sign;
    d |= uint64_t(bit) << i;
  }
  return d;
}

uint64_t insert_bits(uint64_t a, uint64_t b, uint32_t start, uint32_t length, Type type) {
  unsigned msb = ptx::bit_width(type) - 1;
  start &= 0xff;
  length &= 0xff;
  for (unsigned i = 0; i < length && start + i <= msb; ++i) {
    uint64_t at = uint64_t(1) << (start + i);
    b = (b & ~at) | ((a >> i & 1) != 0 ? at : 0);
  }
  return b;
}

uint64_t find_bit(uint64_t a, Type type, bool shift_amount) {
  unsigned bits = ptx::bit_width(type);
  if (ptx::is_signed(type) && int64_t(extend(a, type)) < 0) a = ~a;
  a = truncate(a, type);
  if (a == 0) return 0xffffffffu;
  unsigned at = 63 - unsigned(std::countl_zero(a));
  return shift_amount ? bits - 1 - at : at;
}

uint64_t permute(uint64_t a, uint64_t b, uint32_t selector) {
  uint64_t bytes = (b << 32) | uint32_t(a);
  uint32_t d = 0;
  for (unsigned i = 0; i < 4; ++i) {
    uint32_t s = selector >> (4 * i) & 15;
    uint32_t byte = uint32_t(bytes >> (8 * (s & 7)) & 0xff);
    if ((s & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
    d |= byte << (8 * i);
  }
  return d;
}

uint64_t funnel(const ptx::Instruction& inst, std::span<const uint64_t> in) {
  uint32_t n = uint32_t(in[2]);
  n = inst.mods.clamp ? std::min(n, 32u) : n & 31;
  uint64_t both = (in[1] << 32) | uint32_t(in[0]);
  return inst.mods.mode == Mode::Left ? uint32_t((n == 32 ? both << 32 : both << n) >> 32) : uint32_t(both >> n);
}

uint64_t lookup3(std::span<const uint64_t> in) {
  uint32_t d = 0;
  for (unsigned i = 0; i < 32; ++i) {
    unsigned row = unsigned((in[0] >> i & 1) << 2 | (in[1] >> i & 1) << 1 | (in[2] >> i & 1));
    d |= uint32_t(in[3] >> row & 1) << i;
  }
  return d;
}

// 9.7.9.21
std::optional<uint64_t> convert(const ptx::Instruction& inst, uint64_t a) {
  Type to = inst.mods.types[0], from = inst.mods.types[1];
  bool from_float = from == Type::F32 || from == Type::F64, to_float = to == Type::F32 || to == Type::F64;
  if (!from_float && !to_float) {
    if (!inst.mods.sat) return extend(extend(a, from), to);
    SignedWide v = ptx::is_signed(from) ? SignedWide(int64_t(extend(a, from))) : SignedWide(extend(a, from));
    unsigned bits = ptx::bit_width(to);
    SignedWide low = ptx::is_signed(to) ? -(SignedWide(1) << (bits - 1)) : 0;
    SignedWide high = ptx::is_signed(to) ? (SignedWide(1) << (bits - 1)) - 1 : (SignedWide(1) << bits) - 1;
    return uint64_t(std::clamp(v, low, high));
  }
  if (from_float && to_float) return from_double(to_double(a, from), to);
  if (to_float) { // rounded once, from the exact integer
    if (ptx::is_signed(from)) {
      int64_t v = int64_t(extend(a, from));
      return to == Type::F32 ? std::bit_cast<uint32_t>(float(v)) : std::bit_cast<uint64_t>(double(v));
    }
    uint64_t v = extend(a, from);
    return to == Type::F32 ? std::bit_cast<uint32_t>(float(v)) : std::bit_cast<uint64_t>(double(v));
  }
  double v = to_double(a, from);
  if (std::isnan(v)) return 0;
  switch (inst.mods.rounding) {
  case ptx::Rounding::RZI: v = std::trunc(v); break;
  case ptx::Rounding::RMI: v = std::floor(v); break;
  case ptx::Rounding::RPI: v = std::ceil(v); break;
  default: v = std::nearbyint(v); break;
  }
  int bits = int(ptx::bit_width(to));
  double low = ptx::is_signed(to) ? -std::ldexp(1.0, bits - 1) : 0,
         high = std::ldexp(1.0, ptx::is_signed(to) ? bits - 1 : bits);
  if (v <= low) return ptx::is_signed(to) ? uint64_t(1) << (bits - 1) : 0;
  if (v >= high) return ptx::is_signed(to) ? (uint64_t(1) << (bits - 1)) - 1 : ~uint64_t(0);
  return ptx::is_signed(to) ? uint64_t(int64_t(v)) : uint64_t(v);
}

std::optional<uint64_t> integer_arithmetic(const ptx::Instruction& inst, std::span<const uint64_t> in) {
  Type t = inst.mods.types[0];
  bool is_signed = ptx::is_signed(t);
  unsigned bits = ptx::bit_width(t);
  auto s = [&](size_t i) { return int64_t(extend(in[i], t)); };
  auto u = [&](size_t i) { return truncate(in[i], t); };
  switch (inst.form->opcode) {
  case Opcode::Add: {
    if (!inst.mods.sat) return in[0] + in[1];
    int64_t limit = int64_t(1) << (bits - 1);
    return uint64_t(std::clamp(s(0) + s(1), -limit, limit - 1));
  }
  case Opcode::Sub: {
    if (!inst.mods.sat) return in[0] - in[1];
    int64_t limit = int64_t(1) << (bits - 1);
    return uint64_t(std::clamp(s(0) - s(1), -limit, limit - 1));
  }
  case Opcode::Mul: return multiply(in[0], in[1], t, inst.mods.mode);
  case Opcode::Mad: return multiply(in[0], in[1], t, inst.mods.mode) + in[2];
  case Opcode::Div: return u(1) == 0 ? std::nullopt : std::optional(is_signed ? uint64_t(s(0) / s(1)) : u(0) / u(1));
  case Opcode::Rem: return u(1) == 0 ? std::nullopt : std::optional(is_signed ? uint64_t(s(0) % s(1)) : u(0) % u(1));
  case Opcode::Sad:
    return in[2] + (is_signed     ? uint64_t(s(0) < s(1) ? s(1) - s(0) : s(0) - s(1))
                    : u(0) < u(1) ? u(1) - u(0)
                                  : u(0) - u(1));
  case Opcode::Abs: return s(0) < 0 ? -in[0] : in[0];
  case Opcode::Neg: return -in[0];
  case Opcode::Min: return is_signed ? uint64_t(std::min(s(0), s(1))) : std::min(u(0), u(1));
  case Opcode::Max: return is_signed ? uint64_t(std::max(s(0), s(1))) : std::max(u(0), u(1));
  case Opcode::Popc: return uint64_t(std::popcount(u(0)));
  case Opcode::Clz: return uint64_t(std::countl_zero(u(0))) - (64 - bits);
  case Opcode::Bfind: return find_bit(in[0], t, inst.mods.shiftamt);
  case Opcode::Bfe: return bit_field(in[0], uint32_t(in[1]), uint32_t(in[2]), t);
  case Opcode::Bfi: return insert_bits(in[0], in[1], uint32_t(in[2]), uint32_t(in[3]), t);
  case Opcode::Brev: {
    uint64_t d = 0;
    for (unsigned i = 0; i < bits; ++i) d |= (in[0] >> i & 1) << (bits - 1 - i);
    return d;
  }
  default: return std::nullopt;
  }
}

} // namespace

uint64_t truncate(uint64_t value, Type type) {
  unsigned bits = ptx::bit_width(type);
  return bits >= 64 ? value : value & ((uint64_t(1) << bits) - 1);
}

uint64_t extend(uint64_t value, Type type) {
  unsigned bits = ptx::bit_width(type);
  if (bits >= 64 || !ptx::is_signed(type)) return truncate(value, type);
  return uint64_t(int64_t(value << (64 - bits)) >> (64 - bits));
}

bool compare(CmpOp op, Type type, uint64_t a, uint64_t b) {
  if (type == Type::F32 || type == Type::F64) {
    double x = to_double(a, type), y = to_double(b, type);
    bool unordered = std::isnan(x) || std::isnan(y);
    switch (op) {
    case CmpOp::EQ: return !unordered && x == y;
    case CmpOp::NE: return !unordered && x != y;
    case CmpOp::LT: return x < y;
    case CmpOp::LE: return x <= y;
    case CmpOp::GT: return x > y;
    case CmpOp::GE: return x >= y;
    case CmpOp::EQU: return unordered || x == y;
    case CmpOp::NEU: return unordered || x != y;
    case CmpOp::LTU: return unordered || x < y;
    case CmpOp::LEU: return unordered || x <= y;
    case CmpOp::GTU: return unordered || x > y;
    case CmpOp::GEU: return unordered || x >= y;
    case CmpOp::NUM: return !unordered;
    default: return unordered;
    }
  }
  uint64_t u = truncate(a, type), v = truncate(b, type);
  bool is_signed = ptx::is_signed(type);
  bool less = is_signed ? int64_t(extend(a, type)) < int64_t(extend(b, type)) : u < v;
  switch (op) {
  case CmpOp::EQ: return u == v;
  case CmpOp::NE: return u != v;
  case CmpOp::LT:
  case CmpOp::LO: return less;
  case CmpOp::LE:
  case CmpOp::LS: return less || u == v;
  case CmpOp::GT:
  case CmpOp::HI: return !less && u != v;
  default: return !less;
  }
}

uint64_t atomic_result(ptx::Op op, Type t, uint64_t old, uint64_t b, uint64_t c) {
  bool is_signed = ptx::is_signed(t);
  bool less = is_signed ? int64_t(extend(b, t)) < int64_t(extend(old, t)) : truncate(b, t) < truncate(old, t);
  switch (op) {
  case ptx::Op::Add: return old + b;
  case ptx::Op::Min: return less ? b : old;
  case ptx::Op::Max: return less ? old : b;
  case ptx::Op::Exch: return b;
  case ptx::Op::Cas: return truncate(old, t) == truncate(b, t) ? c : old;
  case ptx::Op::And: return old & b;
  case ptx::Op::Or: return old | b;
  case ptx::Op::Xor: return old ^ b;
  case ptx::Op::Inc: return uint32_t(old) >= uint32_t(b) ? 0 : old + 1;
  default: return uint32_t(old) == 0 || uint32_t(old) > uint32_t(b) ? b : old - 1; // dec
  }
}

Type operand_type(const ptx::Instruction& inst, unsigned index) {
  Type t = inst.mods.types[0], second = inst.mods.types[1];
  switch (inst.form->opcode) {
  case Opcode::Setp: return index == 0 || index == 3 ? Type::Pred : t;
  case Opcode::Set: return index == 0 ? t : index == 3 ? Type::Pred : second;
  case Opcode::Selp: return index == 3 ? Type::Pred : t;
  case Opcode::Slct: return index == 3 ? second : t;
  case Opcode::Cvt: return index == 0 ? t : second;
  case Opcode::Popc:
  case Opcode::Clz:
  case Opcode::Bfind: return index == 0 ? Type::U32 : t;
  case Opcode::Shl:
  case Opcode::Shr: return index == 2 ? Type::U32 : t;
  case Opcode::Bfe: return index >= 2 ? Type::U32 : t;
  case Opcode::Bfi: return index >= 3 ? Type::U32 : t;
  case Opcode::Lop3:
  case Opcode::Shf:
  case Opcode::Prmt: return Type::B32;
  case Opcode::Mul:
  case Opcode::Mad: {
    if (inst.mods.mode != Mode::Wide || (index != 0 && index != 3)) return t;
    switch (t) {
    case Type::S16: return Type::S32;
    case Type::U16: return Type::U32;
    case Type::S32: return Type::S64;
    default: return Type::U64;
    }
  }
  default: return t;
  }
}

std::optional<uint64_t> evaluate(const ptx::Instruction& inst, std::span<const uint64_t> in) {
  Type t = inst.mods.types[0];
  switch (inst.form->opcode) {
  case Opcode::Mov: return in[0];
  case Opcode::And: return in[0] & in[1];
  case Opcode::Or: return in[0] | in[1];
  case Opcode::Xor: return in[0] ^ in[1];
  case Opcode::Not: return ~in[0];
  case Opcode::Cnot: return truncate(in[0], t) == 0 ? 1 : 0;
  case Opcode::Lop3: return lookup3(in);
  case Opcode::Shf: return funnel(inst, in);
  case Opcode::Prmt: return permute(in[0], in[1], uint32_t(in[2]));
  case Opcode::Shl: return shift_left(in[0], uint32_t(in[1]), ptx::bit_width(t));
  case Opcode::Shr: return shift_right(in[0], uint32_t(in[1]), t);
  case Opcode::Selp: return (in[2] & 1) != 0 ? in[0] : in[1];
  case Opcode::Slct:
    if (inst.mods.types[1] == Type::F32) return to_double(in[2], Type::F32) >= 0 ? in[0] : in[1];
    return int32_t(in[2]) >= 0 ? in[0] : in[1];
  case Opcode::Set: {
    bool r = compare(inst.mods.cmp, inst.mods.types[1], in[0], in[1]);
    if (in.size() > 2) {
      bool c = (in[2] & 1) != 0;
      r = inst.mods.op == ptx::Op::And ? r && c : inst.mods.op == ptx::Op::Or ? r || c : r != c;
    }
    if (t == Type::F32) return r ? std::bit_cast<uint32_t>(1.0f) : 0;
    return r ? ~uint64_t(0) : 0;
  }
  case Opcode::Cvt: return convert(inst, in[0]);
  default: break;
  }
  if (t == Type::F32) return float_arithmetic<float, uint32_t>(inst.form->opcode, in, t);
  if (t == Type::F64) return float_arithmetic<double, uint64_t>(inst.form->opcode, in, t);
  return integer_arithmetic(inst, in);
}

} // namespace tollgate::differential
