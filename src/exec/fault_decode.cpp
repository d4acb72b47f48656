// Encodings: Intel 64 Software Developer's Manual, volume 2, chapter 2 (prefixes, ModRM and SIB, VEX, EVEX).
#include "exec/fault_decode.h"

#include <cstring>

namespace tollgate::exec {

namespace {

struct Prefixes {
  bool base_high = false, index_high = false; // REX.B, REX.X: registers 8 to 15
  unsigned displacement_unit = 1;             // EVEX scales 8-bit displacements
  unsigned map = 1;                           // 0: one-byte opcodes, 1: 0F, 2: 0F 38, 3: 0F 3A
  uint8_t opcode = 0;
};

bool is_legacy_prefix(uint8_t byte) {
  switch (byte) {
  case 0x66:
  case 0x67:
  case 0xf2:
  case 0xf3:
  case 0xf0:
  case 0x2e:
  case 0x36:
  case 0x3e:
  case 0x26: return true;
  default: return false;
  }
}

const uint8_t* read_vex(const uint8_t* code, Prefixes& out) {
  if (*code == 0xc4) {
    out.index_high = !(code[1] & 0x40);
    out.base_high = !(code[1] & 0x20);
    out.map = code[1] & 0x1f;
    ++code;
  }
  out.opcode = code[2];
  return code + 3;
}

// The unit of the displacement depends on the tuple type of each opcode. Full-vector moves use the vector's length,
// broadcasts the element's; scalar moves (opcodes 10, 11, 6E, 7E, D6) the element's as well.
const uint8_t* read_evex(const uint8_t* code, Prefixes& out) {
  out.index_high = !(code[1] & 0x40);
  out.base_high = !(code[1] & 0x20);
  out.map = code[1] & 7;
  out.opcode = code[4];
  const unsigned element = code[2] & 0x80 ? 8 : 4, simd = code[2] & 3;
  const bool broadcast = code[3] & 0x10;
  const bool scalar =
      ((out.opcode & 0xfe) == 0x10 && simd >= 2) || out.opcode == 0x6e || out.opcode == 0x7e || out.opcode == 0xd6;
  out.displacement_unit = broadcast || scalar ? element : 16u << (code[3] >> 5 & 3);
  return code + 5;
}

const uint8_t* read_opcode(const uint8_t* code, Prefixes& out) {
  while (is_legacy_prefix(*code)) ++code;
  if (*code == 0xc4 || *code == 0xc5) return read_vex(code, out);
  if (*code == 0x62) return read_evex(code, out);
  if ((*code & 0xf0) == 0x40) {
    out.index_high = *code & 2;
    out.base_high = *code & 1;
    ++code;
  }
  out.map = 0;
  if (*code == 0x0f) {
    ++code;
    out.map = *code == 0x38 ? 2 : *code == 0x3a ? 3 : 1;
    if (out.map > 1) ++code;
  }
  out.opcode = *code;
  return code + 1;
}

bool has_memory_operand(const Prefixes& instruction) {
  if (instruction.map == 2) // the gathers and scatters: their index is a vector
    return !(instruction.opcode >= 0x90 && instruction.opcode <= 0x93) &&
           !(instruction.opcode >= 0xa0 && instruction.opcode <= 0xa3);
  if (instruction.map != 0) return true;
  const uint8_t op = instruction.opcode;
  if (op < 0x40) return (op & 7) < 4;
  return op == 0x63 || op == 0x69 || op == 0x6b || (op >= 0x80 && op <= 0x8f) || op == 0xc0 || op == 0xc1 ||
         op == 0xc6 || op == 0xc7 || (op >= 0xd0 && op <= 0xd3) || op == 0xf6 || op == 0xf7 || op >= 0xfe;
}

} // namespace

std::optional<uint64_t> memory_operand(const uint8_t* code, const std::array<uint64_t, 16>& registers) {
  Prefixes prefixes;
  code = read_opcode(code, prefixes);
  if (!has_memory_operand(prefixes)) return std::nullopt;
  const unsigned mod = *code >> 6, rm = *code & 7;
  ++code;
  if (mod == 3 || (mod == 0 && rm == 5)) return std::nullopt; // a register; relative to the instruction
  uint64_t address = 0;
  bool has_base = true;
  if (rm == 4) {
    const unsigned scale = *code >> 6, base = *code & 7;
    const unsigned index = (*code >> 3 & 7) + (prefixes.index_high ? 8 : 0);
    ++code;
    has_base = !(mod == 0 && base == 5);
    if (has_base) address = registers[base + (prefixes.base_high ? 8 : 0)];
    if (index != 4) address += registers[index] << scale;
  } else {
    address = registers[rm + (prefixes.base_high ? 8 : 0)];
  }
  if (mod == 1)
    return address + static_cast<uint64_t>(static_cast<int8_t>(*code) * int64_t{prefixes.displacement_unit});
  if (mod == 0 && has_base) return address;
  int32_t displacement = 0;
  std::memcpy(&displacement, code, sizeof displacement);
  return address + static_cast<uint64_t>(int64_t{displacement});
}

} // namespace tollgate::exec
