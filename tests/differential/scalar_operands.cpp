// The interpreter's registers, special registers, addresses and memory.
#include "ptx/inst_table.h"
#include "scalar_alu.h"
#include "scalar_layout.h"
#include "scalar_machine.h"

#include <bit>
#include <cstring>

namespace tollgate::differential {

using ptx::Opcode;
using ptx::Operand;
using ptx::Space;
using ptx::SpecialReg;
using ptx::Type;

uint64_t ScalarMachine::read_register(Thread& t, int32_t reg) {
  const Frame& f = t.frames.back();
  if (!f.defined[size_t(reg)]) fault(t, "register " + f.function->registers[size_t(reg)].name + " has no value");
  return f.registers[size_t(reg)];
}

uint64_t ScalarMachine::read(Thread& t, const Operand& operand, Type type) {
  switch (operand.kind) {
  case Operand::Kind::Register: {
    uint64_t v = truncate(read_register(t, operand.reg), type);
    return operand.negated ? v ^ 1 : v;
  }
  case Operand::Kind::Immediate:
    if (operand.float_literal == Operand::FloatLiteral::No || operand.float_literal == Operand::FloatLiteral::F32 ||
        type == Type::F64)
      return truncate(operand.bits, type);
    return std::bit_cast<uint32_t>(float(std::bit_cast<double>(operand.bits)));
  case Operand::Kind::Special: return truncate(special(t, operand.special), type);
  case Operand::Kind::SymbolAddress: return symbol_address(t, *operand.symbol) + uint64_t(operand.offset);
  default: fault(t, "an operand outside the subset");
  }
}

// 9.4.1: a value narrower than its register is extended, by sign where its type has one.
void ScalarMachine::write_register(Thread& t, int32_t reg, Type type, uint64_t value) {
  const ptx::Register& r = t.frames.back().function->registers[size_t(reg)];
  t.frames.back().defined[size_t(reg)] = true;
  t.frames.back().registers[size_t(reg)] = truncate(extend(value, type), r.type);
}

void ScalarMachine::write(Thread& t, const Operand& operand, Type type, uint64_t value) {
  if (operand.kind == Operand::Kind::Sink) return;
  write_register(t, operand.reg, type, value);
}

uint64_t ScalarMachine::special(const Thread& t, SpecialReg reg) const {
  const auto& block = launch_->block;
  const auto& grid = launch_->grid;
  uint32_t eq = 1u << t.lane;
  switch (reg) {
  case SpecialReg::TidX: return t.index[0];
  case SpecialReg::TidY: return t.index[1];
  case SpecialReg::TidZ: return t.index[2];
  case SpecialReg::NtidX: return block[0];
  case SpecialReg::NtidY: return block[1];
  case SpecialReg::NtidZ: return block[2];
  case SpecialReg::CtaidX: return block_index_[0];
  case SpecialReg::CtaidY: return block_index_[1];
  case SpecialReg::CtaidZ: return block_index_[2];
  case SpecialReg::NctaidX: return grid[0];
  case SpecialReg::NctaidY: return grid[1];
  case SpecialReg::NctaidZ: return grid[2];
  case SpecialReg::Laneid: return t.lane;
  case SpecialReg::Warpid: return t.warp;
  case SpecialReg::Nwarpid: return (threads_.size() + 31) / 32;
  case SpecialReg::LanemaskEq: return eq;
  case SpecialReg::LanemaskLt: return eq - 1;
  case SpecialReg::LanemaskLe: return eq | (eq - 1);
  case SpecialReg::LanemaskGt: return ~(eq | (eq - 1));
  case SpecialReg::LanemaskGe: return ~(eq - 1);
  default: fault(t, "a special register outside the subset");
  }
}

// In the symbol's own space: shared variables are offsets.
uint64_t ScalarMachine::symbol_address(Thread& t, const ptx::Symbol& symbol) const {
  const Frame& f = t.frames.back();
  switch (symbol.kind) {
  case ptx::SymbolKind::ModuleVar: return symbols_[symbol.index];
  case ptx::SymbolKind::LocalVar:
    if (f.function->variables[symbol.index].space == Space::Shared) return shared_symbols_.at(f.function)[symbol.index];
    return f.variables[symbol.index];
  case ptx::SymbolKind::Param: return f.params[symbol.index];
  case ptx::SymbolKind::RetParam: return f.results[symbol.index];
  default: return kFunctionBase + symbol.index;
  }
}

// As a generic address.
uint64_t ScalarMachine::address(Thread& t, const Operand& operand, Space space) {
  uint64_t base = 0;
  if (operand.reg >= 0)
    base = read_register(t, operand.reg);
  else if (operand.symbol)
    base = symbol_address(t, *operand.symbol);
  base += uint64_t(operand.offset);
  return space == Space::Shared ? kSharedBase + uint32_t(base) : base;
}

uint8_t* ScalarMachine::bytes_at(Thread& t, uint64_t address, unsigned size) {
  auto inside = [&](uint64_t base, std::vector<uint8_t>& bytes) -> uint8_t* {
    uint64_t offset = address - base;
    return offset < bytes.size() && size <= bytes.size() - offset ? bytes.data() + offset : nullptr;
  };
  uint8_t* at = nullptr;
  if (address >= kGlobalBase || (address >= kVariableBase && address < kLocalBase)) {
    auto it = memory_.upper_bound(address);
    if (it != memory_.begin()) at = inside(std::prev(it)->first, *std::prev(it)->second);
  } else if (address >= kParamBase) {
    at = inside(kParamBase, params_);
  } else if (address >= kLocalBase) {
    at = inside(kLocalBase + t.linear * kLocalStride, t.stack);
  } else if (address >= kSharedBase) {
    at = inside(kSharedBase, shared_);
  }
  if (!at) fault(t, "an access outside all memory");
  if (address % size != 0 && (size & (size - 1)) == 0 && size <= 16 &&
      t.frames.back().pc < t.frames.back().function->instructions.size()) {
    Opcode op = t.frames.back().function->instructions[t.frames.back().pc].form->opcode;
    if (op != Opcode::Call && op != Opcode::Ret) fault(t, "a misaligned access");
  }
  return at;
}

uint64_t ScalarMachine::load(Thread& t, uint64_t address, Type type) {
  unsigned size = ptx::bit_width(type) / 8;
  uint64_t value = 0;
  std::memcpy(&value, bytes_at(t, address, size), size);
  return value;
}

void ScalarMachine::store(Thread& t, uint64_t address, Type type, uint64_t value) {
  unsigned size = ptx::bit_width(type) / 8;
  std::memcpy(bytes_at(t, address, size), &value, size);
}

// mov, with the forms that pack and unpack vectors (9.7.9.4)
void ScalarMachine::move(Thread& t, const ptx::Instruction& inst) {
  Type type = inst.mods.types[0];
  const Operand& to = inst.operands[0];
  const Operand& from = inst.operands[1];
  auto width = [&](const Operand& list) { return ptx::bit_width(type) / unsigned(list.list.size()); };
  auto part = [](unsigned bits) { return bits == 8 ? Type::B8 : bits == 16 ? Type::B16 : Type::B32; };
  if (from.kind == Operand::Kind::Vector) {
    uint64_t v = 0;
    for (size_t i = 0; i < from.list.size(); ++i) v |= read(t, from.list[i], part(width(from))) << (width(from) * i);
    write(t, to, type, v);
  } else if (to.kind == Operand::Kind::Vector) {
    uint64_t v = read(t, from, type);
    for (size_t i = 0; i < to.list.size(); ++i) write(t, to.list[i], part(width(to)), v >> (width(to) * i));
  } else {
    write(t, to, type, read(t, from, type));
  }
}

void ScalarMachine::access_memory(Thread& t, const ptx::Instruction& inst) {
  Type type = inst.mods.types[0];
  unsigned size = ptx::bit_width(type) / 8;
  const auto& ops = inst.operands;
  switch (inst.form->opcode) {
  case Opcode::Cvta: {
    uint64_t v = read(t, ops[1], Type::U64);
    uint64_t window = inst.mods.space == Space::Shared ? kSharedBase : 0;
    return write(t, ops[0], type, inst.mods.to ? v - window : v + window);
  }
  case Opcode::Ld:
  case Opcode::St: {
    bool loads = inst.form->opcode == Opcode::Ld;
    const Operand& value = ops[loads ? 0 : 1];
    uint64_t at = address(t, ops[loads ? 1 : 0], inst.mods.space);
    if (value.kind == Operand::Kind::Vector) bytes_at(t, at, size * unsigned(value.list.size())); // aligned as a whole
    for (size_t i = 0; i < (value.kind == Operand::Kind::Vector ? value.list.size() : 1); ++i) {
      const Operand& element = value.kind == Operand::Kind::Vector ? value.list[i] : value;
      if (loads)
        write(t, element, type, load(t, at + i * size, type));
      else
        store(t, at + i * size, type, read(t, element, type));
    }
    return;
  }
  default: { // atom, red
    bool has_result = inst.form->opcode == Opcode::Atom;
    size_t a = has_result ? 1 : 0;
    uint64_t at = address(t, ops[a], inst.mods.space);
    uint64_t old = load(t, at, type);
    uint64_t b = read(t, ops[a + 1], type);
    uint64_t c = inst.mods.op == ptx::Op::Cas ? read(t, ops[a + 2], type) : 0;
    store(t, at, type, atomic_result(inst.mods.op, type, old, b, c));
    if (has_result) write(t, ops[0], type, old);
  }
  }
}

} // namespace tollgate::differential
