// The interpreter's threads: who runs next, and control flow.
#include "scalar_machine.h"

#include "ptx/inst_table.h"
#include "ptx/printer.h"
#include "scalar_alu.h"
#include "scalar_layout.h"

#include <algorithm>
#include <cstring>

namespace tollgate::differential {

using ptx::Opcode;
using ptx::Operand;
using ptx::Space;
using ptx::Type;

namespace {

constexpr uint64_t kMaxSteps = 100'000'000;
constexpr unsigned kSlice = 40; // instructions a thread may run before another gets its turn

uint64_t align_up(uint64_t value, uint64_t alignment) { return (value + alignment - 1) / alignment * alignment; }

} // namespace

void ScalarMachine::fault(const Thread& t, const std::string& message) const {
  const Frame& f = t.frames.back();
  std::string at;
  if (f.pc < f.function->instructions.size()) {
    const ptx::Instruction& inst = f.function->instructions[f.pc];
    at = "line " + std::to_string(inst.ptx_line) + ": " + ptx::print(*launch_->module, *f.function, inst) + ": ";
  }
  throw Fault{at + message + " (thread " + std::to_string(t.linear) + ")"};
}

// Module variables get addresses, global ones their bytes.
void ScalarMachine::lay_out() {
  const ptx::Module& m = *launch_->module;
  symbols_.assign(m.variables.size(), 0);
  variables_.assign(m.variables.size(), {});
  shared_symbols_.clear();
  uint64_t global = kVariableBase, shared = 0;
  auto place_shared = [&](const ptx::Variable& v) {
    shared = align_up(shared, std::max(1u, v.align));
    uint64_t at = shared;
    shared += v.size;
    return at;
  };
  for (size_t i = 0; i < m.variables.size(); ++i) {
    const ptx::Variable& v = m.variables[i];
    if (v.space == Space::Shared) {
      symbols_[i] = place_shared(v);
      continue;
    }
    symbols_[i] = global;
    global += align_up(v.size, 256) + 256;
    variables_[i] = v.init;
    variables_[i].resize(v.size, 0);
  }
  for (size_t i = 0; i < m.variables.size(); ++i) {
    for (const ptx::Relocation& r : m.variables[i].relocations) {
      uint64_t value = uint64_t(r.addend);
      value += r.symbol.kind == ptx::SymbolKind::Function ? kFunctionBase + r.symbol.index : symbols_[r.symbol.index];
      std::memcpy(variables_[i].data() + r.offset, &value, r.size);
    }
    if (!variables_[i].empty()) memory_[symbols_[i]] = &variables_[i];
  }
  for (const ptx::Function& f : m.functions)
    for (const ptx::Variable& v : f.variables)
      shared_symbols_[&f].push_back(v.space == Space::Shared ? place_shared(v) : 0);
  shared_.assign(shared, 0);
  params_ = launch_->params;
}

std::optional<std::string> ScalarMachine::run(const ScalarLaunch& launch) {
  if (launch.module->find_function(launch.kernel) == nullptr) return "there is no kernel " + launch.kernel;
  launch_ = &launch;
  steps_ = 0;
  lay_out();
  std::optional<std::string> message;
  uint32_t blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
  try {
    for (uint32_t b = 0; b < blocks; ++b) run_block(b);
  } catch (const Fault& f) {
    message = f.message;
  }
  for (size_t i = 0; i < variables_.size(); ++i)
    if (!variables_[i].empty()) memory_.erase(symbols_[i]);
  return message;
}

void ScalarMachine::start_thread(Thread& t) {
  const auto& size = launch_->block;
  t.lane = t.linear % 32;
  t.warp = t.linear / 32;
  t.index = {t.linear % size[0], t.linear / size[0] % size[1], t.linear / size[0] / size[1]};
  push_frame(t, *launch_->module->find_function(launch_->kernel));
}

void ScalarMachine::run_block(uint32_t block) {
  const auto& grid = launch_->grid;
  block_index_ = {block % grid[0], block / grid[0] % grid[1], block / grid[0] / grid[1]};
  threads_.assign(launch_->block[0] * launch_->block[1] * launch_->block[2], {});
  for (uint32_t i = 0; i < threads_.size(); ++i) {
    threads_[i].linear = i;
    start_thread(threads_[i]);
  }
  // What shared memory holds at first is not defined: it differs from schedule to schedule.
  std::fill(shared_.begin(), shared_.end(), uint8_t(0xa5 + launch_->schedule));
  std::minstd_rand random(unsigned(launch_->schedule * 977 + block + 1));
  std::vector<uint32_t> order(threads_.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  while (true) {
    std::shuffle(order.begin(), order.end(), random);
    bool ran = false, live = false;
    for (uint32_t i : order) {
      Thread& t = threads_[i];
      for (unsigned n = random() % kSlice + 1; n > 0 && t.state == State::Running; --n) {
        Frame& f = t.frames.back();
        if (f.pc >= f.function->instructions.size())
          leave(t);
        else
          execute(t, f.function->instructions[f.pc]);
        ran = true;
        if (++steps_ > kMaxSteps) fault(t, "the kernel does not end");
      }
      live |= t.state != State::Exited;
    }
    if (!live) return;
    if (ran) continue;
    for (Thread& t : threads_)
      if (t.state != State::Exited) fault(t, "no thread can go on");
  }
}

// A frame's variables and parameters lie one after the other in the thread's stack.
void ScalarMachine::push_frame(Thread& t, const ptx::Function& function) {
  if (t.frames.size() > 1000) fault(t, "calls nest too deep");
  Frame f;
  f.function = &function;
  f.registers.assign(function.registers.size(), 0);
  f.defined.assign(function.registers.size(), false);
  uint64_t at = t.frames.empty() ? 0 : t.frames.back().stack_end;
  auto place = [&](const std::vector<ptx::Variable>& list, std::vector<uint64_t>& out) {
    for (const ptx::Variable& v : list) {
      at = align_up(at, std::max(1u, v.align));
      out.push_back(kLocalBase + t.linear * kLocalStride + at);
      at += v.size;
    }
  };
  place(function.variables, f.variables);
  if (!function.is_entry) {
    place(function.params, f.params);
  } else {
    uint64_t offset = 0;
    for (const ptx::Variable& v : function.params) {
      offset = align_up(offset, std::max(1u, v.align));
      f.params.push_back(kParamBase + offset);
      offset += v.size;
    }
  }
  place(function.return_params, f.results);
  f.stack_end = align_up(at, 16);
  if (t.stack.size() < f.stack_end) t.stack.resize(f.stack_end, uint8_t(0x5a + launch_->schedule));
  t.frames.push_back(std::move(f));
}

void ScalarMachine::call(Thread& t, const ptx::Instruction& inst) {
  const ptx::Module& m = *launch_->module;
  const Operand& callee = inst.operands[1];
  uint64_t index = 0;
  if (callee.kind == Operand::Kind::SymbolAddress) {
    index = callee.symbol->index;
  } else {
    index = read(t, callee, Type::U64) - kFunctionBase;
    if (index >= m.functions.size()) fault(t, "a call through a pointer that is no function");
  }
  const ptx::Function& function = m.functions[index];
  if (function.is_declaration) fault(t, "a call of a function without body");
  size_t caller = t.frames.size() - 1;
  std::vector<uint64_t> in_registers(function.params.size());
  for (size_t i = 0; i < function.params.size(); ++i)
    if (function.params[i].reg >= 0) in_registers[i] = read(t, inst.operands[2].list[i], function.params[i].type);
  push_frame(t, function);
  Frame& f = t.frames.back();
  for (size_t i = 0; i < function.params.size(); ++i) {
    if (const int32_t reg = function.params[i].reg; reg >= 0) {
      f.registers[size_t(reg)] = in_registers[i];
      f.defined[size_t(reg)] = true;
      continue;
    }
    const Operand& from = inst.operands[2].list[i];
    uint64_t source = t.frames[caller].variables[from.symbol->index];
    if (from.kind != Operand::Kind::SymbolAddress || from.symbol->kind != ptx::SymbolKind::LocalVar)
      fault(t, "an argument that is no .param variable");
    std::memcpy(bytes_at(t, f.params[i], unsigned(function.params[i].size)),
                bytes_at(t, source, unsigned(function.params[i].size)), function.params[i].size);
  }
}

void ScalarMachine::leave(Thread& t) {
  if (t.frames.size() == 1) return exit_thread(t);
  Frame done = std::move(t.frames.back());
  t.frames.pop_back();
  Frame& f = t.frames.back();
  const ptx::Instruction& inst = f.function->instructions[f.pc];
  for (size_t i = 0; i < inst.operands[0].list.size(); ++i) {
    if (const int32_t reg = done.function->return_params[i].reg; reg >= 0) {
      const int32_t to = inst.operands[0].list[i].reg;
      f.registers[size_t(to)] = done.registers[size_t(reg)];
      f.defined[size_t(to)] = true;
      continue;
    }
    unsigned size = unsigned(done.function->return_params[i].size);
    uint64_t to = f.variables[inst.operands[0].list[i].symbol->index];
    std::memcpy(bytes_at(t, to, size), bytes_at(t, done.results[i], size), size);
  }
  ++f.pc;
}

void ScalarMachine::exit_thread(Thread& t) {
  t.state = State::Exited;
  try_barriers();
  try_warp_operation(t.warp);
}

void ScalarMachine::try_barriers() {
  size_t live = 0;
  std::array<size_t, 16> arrived{};
  std::array<uint32_t, 16> count{};
  for (const Thread& t : threads_) {
    live += t.state != State::Exited;
    if (t.state != State::AtBarrier) continue;
    ++arrived[t.barrier];
    count[t.barrier] = t.count;
  }
  for (uint32_t id = 0; id < 16; ++id)
    if (arrived[id] != 0 && arrived[id] >= (count[id] == 0 ? live : count[id])) complete_barrier(id);
}

void ScalarMachine::complete_barrier(uint32_t id) {
  uint64_t yes = 0, all = 0;
  for (const Thread& t : threads_) {
    if (t.state != State::AtBarrier || t.barrier != id) continue;
    ++all;
    yes += t.vote;
  }
  for (Thread& t : threads_) {
    if (t.state != State::AtBarrier || t.barrier != id) continue;
    t.state = State::Running;
    const ptx::Instruction& inst = *t.waiting;
    if (inst.mods.mode == ptx::Mode::Red) {
      if (inst.mods.op == ptx::Op::Popc)
        write(t, inst.operands[0], Type::U32, yes);
      else
        write(t, inst.operands[0], Type::Pred, inst.mods.op == ptx::Op::And ? yes == all : yes != 0);
    }
    ++t.frames.back().pc;
  }
}

void ScalarMachine::execute(Thread& t, const ptx::Instruction& inst) {
  Frame& f = t.frames.back();
  if (inst.guard && (read_register(t, inst.guard->reg) != 0) == inst.guard->negated) {
    ++f.pc;
    return;
  }
  auto jump = [&](uint32_t label) { f.pc = f.function->labels[label].instruction; };
  switch (inst.form->opcode) {
  case Opcode::Bra: return jump(inst.operands[0].label);
  case Opcode::Brx: {
    uint64_t i = read(t, inst.operands[0], Type::U32);
    if (i >= inst.operands[1].list.size()) fault(t, "an index past the list of targets");
    return jump(inst.operands[1].list[i].label);
  }
  case Opcode::Call: return call(t, inst);
  case Opcode::Ret: return leave(t);
  case Opcode::Exit: return exit_thread(t);
  case Opcode::Bar:
  case Opcode::Barrier: {
    size_t n = inst.operands.size();
    bool reduce = inst.mods.mode == ptx::Mode::Red;
    if (inst.mods.mode == ptx::Mode::Arrive) fault(t, "outside the subset");
    size_t first = reduce ? 1 : 0, last = reduce ? n - 1 : n;
    t.barrier = uint32_t(read(t, inst.operands[first], Type::U32)) & 15;
    t.count = last > first + 1 ? uint32_t(read(t, inst.operands[first + 1], Type::U32)) : 0;
    t.vote = reduce && read(t, inst.operands[n - 1], Type::Pred) != 0;
    t.waiting = &inst;
    t.state = State::AtBarrier;
    return try_barriers();
  }
  case Opcode::BarWarp:
  case Opcode::Shfl:
  case Opcode::Vote:
  case Opcode::Match:
  case Opcode::Redux:
  case Opcode::Activemask: return arrive_at_warp_operation(t, inst);
  case Opcode::Membar:
  case Opcode::Fence: break;
  case Opcode::Ld:
  case Opcode::St:
  case Opcode::Atom:
  case Opcode::Red:
  case Opcode::Cvta: access_memory(t, inst); break;
  case Opcode::Mov: move(t, inst); break;
  case Opcode::Setp: {
    bool r = compare(inst.mods.cmp, inst.mods.types[0], read(t, inst.operands[1], inst.mods.types[0]),
                     read(t, inst.operands[2], inst.mods.types[0]));
    auto combine = [&](bool value) {
      if (inst.operands.size() < 4) return value;
      bool c = read(t, inst.operands[3], Type::Pred) != 0;
      return inst.mods.op == ptx::Op::And ? value && c : inst.mods.op == ptx::Op::Or ? value || c : value != c;
    };
    bool p = combine(r), q = combine(!r);
    write(t, inst.operands[0], Type::Pred, p);
    if (inst.operands[0].pair >= 0) write_register(t, inst.operands[0].pair, Type::Pred, q);
    break;
  }
  default: {
    std::vector<uint64_t> in;
    for (unsigned i = 1; i < inst.operands.size(); ++i) in.push_back(read(t, inst.operands[i], operand_type(inst, i)));
    auto result = evaluate(inst, in);
    if (!result) fault(t, "outside the subset, or undefined");
    write(t, inst.operands[0], operand_type(inst, 0), *result);
  }
  }
  ++t.frames.back().pc;
}

} // namespace tollgate::differential
