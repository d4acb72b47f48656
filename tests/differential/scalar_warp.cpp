// Operations in which the lanes of a warp take part together (9.7.9.6, 9.7.13.2 and 9.7.13.9 to 9.7.13.12): each lane
// waits until all lanes that its mask names, and that are left, wait at the same instruction with the same mask.
#include "ptx/inst_table.h"
#include "scalar_alu.h"
#include "scalar_machine.h"

#include <bit>

namespace tollgate::differential {

using ptx::Opcode;
using ptx::Type;

void ScalarMachine::arrive_at_warp_operation(Thread& t, const ptx::Instruction& inst) {
  // activemask names no lanes; it is defined here only where the whole warp comes to it.
  uint64_t mask = 0xffffffffu;
  if (inst.form->opcode != Opcode::Activemask) {
    if (!inst.mods.sync && inst.form->opcode != Opcode::BarWarp && inst.form->opcode != Opcode::Redux &&
        inst.form->opcode != Opcode::Match && inst.form->opcode != Opcode::Shfl && inst.form->opcode != Opcode::Vote)
      fault(t, "outside the subset");
    mask = read(t, inst.operands.back(), Type::U32);
    if ((mask >> t.lane & 1) == 0) fault(t, "a lane that its own mask does not name");
  }
  t.state = State::AtWarpOp;
  t.waiting = &inst;
  t.mask = uint32_t(mask);
  try_warp_operation(t.warp);
}

void ScalarMachine::try_warp_operation(uint32_t warp) {
  size_t begin = warp * 32, end = std::min<size_t>(begin + 32, threads_.size());
  for (size_t i = begin; i < end; ++i) {
    Thread& first = threads_[i];
    if (first.state != State::AtWarpOp) continue;
    std::vector<Thread*> lanes;
    bool complete = true;
    for (size_t k = begin; k < end; ++k) {
      Thread& t = threads_[k];
      if ((first.mask >> t.lane & 1) == 0 || t.state == State::Exited) continue;
      if (t.state == State::AtWarpOp && t.waiting == first.waiting && t.mask == first.mask)
        lanes.push_back(&t);
      else
        complete = false;
    }
    if (!complete) continue;
    carry_out(lanes, *first.waiting, first.mask);
    for (Thread* t : lanes) {
      t->state = State::Running;
      ++t->frames.back().pc;
    }
  }
}

void ScalarMachine::shuffle(const std::vector<Thread*>& lanes, const ptx::Instruction& inst) {
  std::vector<uint64_t> values(32), results(32);
  std::vector<bool> here(32), in_range(32);
  for (Thread* t : lanes) {
    values[t->lane] = read(*t, inst.operands[1], Type::B32);
    here[t->lane] = true;
  }
  for (Thread* t : lanes) {
    int lane = int(t->lane);
    int b = int(read(*t, inst.operands[2], Type::U32) & 31);
    uint32_t c = uint32_t(read(*t, inst.operands[3], Type::U32));
    int clamp = int(c & 31), segment = int(c >> 8 & 31);
    int max_lane = (lane & segment) | (clamp & ~segment), min_lane = lane & segment;
    int source = 0;
    bool p = false;
    switch (inst.mods.mode) {
    case ptx::Mode::Up:
      source = lane - b;
      p = source >= max_lane;
      break;
    case ptx::Mode::Down:
      source = lane + b;
      p = source <= max_lane;
      break;
    case ptx::Mode::Bfly:
      source = lane ^ b;
      p = source <= max_lane;
      break;
    default:
      source = min_lane | (b & ~segment);
      p = source <= max_lane;
      break;
    }
    if (!p) source = lane;
    in_range[t->lane] = p;
    // The value of a lane that does not take part is not defined; kernels of the fuzzer do not look at it.
    results[t->lane] = here[size_t(source)] ? values[size_t(source)] : 0xdeadbeefu;
  }
  for (Thread* t : lanes) {
    write(*t, inst.operands[0], Type::B32, results[t->lane]);
    if (inst.operands[0].pair >= 0) write_register(*t, inst.operands[0].pair, Type::Pred, in_range[t->lane]);
  }
}

void ScalarMachine::carry_out(const std::vector<Thread*>& lanes, const ptx::Instruction& inst, uint32_t) {
  uint32_t present = 0, yes = 0;
  for (Thread* t : lanes) present |= 1u << t->lane;
  switch (inst.form->opcode) {
  case Opcode::BarWarp: return;
  case Opcode::Shfl: return shuffle(lanes, inst);
  case Opcode::Activemask:
    for (Thread* t : lanes) write(*t, inst.operands[0], Type::B32, present);
    return;
  case Opcode::Vote: {
    for (Thread* t : lanes)
      if (read(*t, inst.operands[1], Type::Pred) != 0) yes |= 1u << t->lane;
    uint64_t r = 0;
    switch (inst.mods.op) {
    case ptx::Op::Ballot: r = yes; break;
    case ptx::Op::All: r = yes == present; break;
    case ptx::Op::Any: r = yes != 0; break;
    default: r = yes == present || yes == 0; break;
    }
    for (Thread* t : lanes) write(*t, inst.operands[0], inst.mods.op == ptx::Op::Ballot ? Type::B32 : Type::Pred, r);
    return;
  }
  case Opcode::Match: {
    Type type = inst.mods.types[0];
    std::vector<uint64_t> values;
    for (Thread* t : lanes) values.push_back(read(*t, inst.operands[1], type));
    for (size_t i = 0; i < lanes.size(); ++i) {
      uint32_t same = 0;
      for (size_t k = 0; k < lanes.size(); ++k)
        if (values[k] == values[i]) same |= 1u << lanes[k]->lane;
      bool all = same == present;
      if (inst.mods.op == ptx::Op::All) same = all ? present : 0;
      write(*lanes[i], inst.operands[0], Type::B32, same);
      if (inst.operands[0].pair >= 0) write_register(*lanes[i], inst.operands[0].pair, Type::Pred, all);
    }
    return;
  }
  default: { // redux
    Type type = inst.mods.types[0];
    std::optional<uint64_t> r;
    for (Thread* t : lanes) {
      uint64_t v = read(*t, inst.operands[1], type);
      r = r ? truncate(atomic_result(inst.mods.op, type, *r, v, 0), type) : v;
    }
    for (Thread* t : lanes) write(*t, inst.operands[0], type, *r);
  }
  }
}

} // namespace tollgate::differential
