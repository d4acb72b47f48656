// The table of instruction forms: one row for each form as the PTX manual writes it (ptx_inst.def). It drives the
// parser, the verifier, the printer, lowering dispatch, observer events, `tollgate isa` and docs/ptx-coverage.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tollgate::ptx {

// What an instruction does, as far as the layers above need to know.
enum InstFlag : uint32_t {
  Pure = 1u << 0, // result depends on operands only
  Load = 1u << 1,
  Store = 1u << 2,
  Atomic = 1u << 3,  // atom, red
  Barrier = 1u << 4, // bar, barrier, mbarrier waits
  WarpOp = 1u << 5,  // shfl, vote, match, redux, bar.warp.sync, activemask, elect
  Branch = 1u << 6,  // bra, brx, ret, exit, trap, call
  Fence = 1u << 7,
  Approximate = 1u << 8, // result within the manual's stated error, not bit-exact
  Clock = 1u << 9,       // clocks, timers
  CarryIn = 1u << 10,
  CarryOut = 1u << 11,
  AsyncCopy = 1u << 12,
  Unsupported = 1u << 13, // known form, not run: the error names it
};

// Identifies the opcode; generated from ptx_inst.def so that lowering can dispatch on it. An opcode is the base
// mnemonic ("add", "cp.async"); its rows differ in types and modifiers.
enum class Opcode : uint16_t {
#define OPCODE(id, name) id,
#include "ptx/ptx_inst.def"
};

struct InstForm {
  Opcode opcode;
  std::string_view name;    // "add", "atom", "cp.async"
  std::string_view syntax;  // the manual's notation, e.g. "atom{.sem}{.scope}{.space}.op.type d, [a], b"
  std::string_view slots;   // what each slot of the syntax may be: "op=add min max; type=u32 s32 u64"
  std::string_view implied; // modifiers that follow from the form itself: "mode=Sync aligned"
  uint32_t flags;           // InstFlag
  std::string_view section; // of the PTX ISA manual, "9.7.13.5"
  uint16_t min_ptx;         // 60 for PTX ISA 6.0
  uint16_t min_sm;
};

std::span<const InstForm> inst_table();

std::string_view to_string(Opcode opcode); // "cp.async"
std::size_t opcode_count();

// True where operand 0 is written by the instruction (a `d|p` operand writes both halves; a vector all elements).
// No form except `call` writes another operand; `call` writes the elements of its first operand.
bool writes_first_operand(const InstForm& form);

} // namespace tollgate::ptx
