// A scalar interpreter of the core of PTX: every thread has its own registers, call stack and program counter and
// advances on its own; a seeded scheduler picks who goes next. Blocks run one after the other. Written for clarity, as
// an oracle for the engine: it reads the same syntax tree and shares nothing else with it.
#pragma once

#include "ptx/module.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace tollgate::differential {

struct ScalarLaunch {
  const ptx::Module* module = nullptr;
  std::string kernel;
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::vector<uint8_t> params;
  uint64_t schedule = 1; // seed of the order in which threads advance
};

class ScalarMachine {
public:
  // Global memory: the bytes at [address, address + size). The caller keeps them alive.
  void map_memory(uint64_t address, std::vector<uint8_t>* bytes) { memory_[address] = bytes; }

  // Runs all blocks. A text if the kernel did what PTX does not define, left the subset, or hung.
  std::optional<std::string> run(const ScalarLaunch& launch);

private:
  enum class State : uint8_t { Running, AtBarrier, AtWarpOp, Exited };

  struct Frame {
    const ptx::Function* function = nullptr;
    uint32_t pc = 0;
    std::vector<uint64_t> registers;
    std::vector<bool> defined;                        // registers that were written
    std::vector<uint64_t> variables, params, results; // addresses in the thread's stack
    uint64_t stack_end = 0;
  };

  struct Thread {
    uint32_t linear = 0, lane = 0, warp = 0;
    std::array<uint32_t, 3> index{};
    State state = State::Running;
    std::vector<Frame> frames;
    std::vector<uint8_t> stack; // local memory and parameters
    const ptx::Instruction* waiting = nullptr;
    uint32_t mask = 0; // of the warp operation it waits at
    uint32_t barrier = 0, count = 0;
    bool vote = false; // its predicate in a barrier reduction
  };

  struct Fault {
    std::string message;
  };

  // scalar_machine.cpp: scheduling and control flow
  void run_block(uint32_t block);
  void start_thread(Thread& t);
  void execute(Thread& t, const ptx::Instruction& inst);
  void push_frame(Thread& t, const ptx::Function& function);
  void call(Thread& t, const ptx::Instruction& inst);
  void leave(Thread& t);
  void exit_thread(Thread& t);
  void try_barriers();
  void complete_barrier(uint32_t id);
  [[noreturn]] void fault(const Thread& t, const std::string& message) const;

  // scalar_operands.cpp: registers, addresses, memory
  uint64_t read(Thread& t, const ptx::Operand& operand, ptx::Type type);
  void write(Thread& t, const ptx::Operand& operand, ptx::Type type, uint64_t value);
  uint64_t read_register(Thread& t, int32_t reg);
  void write_register(Thread& t, int32_t reg, ptx::Type type, uint64_t value);
  uint64_t special(const Thread& t, ptx::SpecialReg reg) const;
  uint64_t symbol_address(Thread& t, const ptx::Symbol& symbol) const;
  uint64_t address(Thread& t, const ptx::Operand& operand, ptx::Space space);
  uint8_t* bytes_at(Thread& t, uint64_t address, unsigned size);
  uint64_t load(Thread& t, uint64_t address, ptx::Type type);
  void store(Thread& t, uint64_t address, ptx::Type type, uint64_t value);
  void move(Thread& t, const ptx::Instruction& inst);
  void access_memory(Thread& t, const ptx::Instruction& inst);

  // scalar_warp.cpp: operations of several lanes
  void arrive_at_warp_operation(Thread& t, const ptx::Instruction& inst);
  void try_warp_operation(uint32_t warp);
  void carry_out(const std::vector<Thread*>& lanes, const ptx::Instruction& inst, uint32_t mask);
  void shuffle(const std::vector<Thread*>& lanes, const ptx::Instruction& inst);

  const ScalarLaunch* launch_ = nullptr;
  std::map<uint64_t, std::vector<uint8_t>*> memory_;
  std::vector<uint64_t> symbols_;                                        // address of each module variable
  std::vector<std::vector<uint8_t>> variables_;                          // bytes of module variables in global memory
  std::map<const ptx::Function*, std::vector<uint64_t>> shared_symbols_; // shared variables of bodies
  std::vector<uint8_t> shared_, params_;
  std::array<uint32_t, 3> block_index_{};
  std::vector<Thread> threads_;
  uint64_t steps_ = 0;
  void lay_out();
};

} // namespace tollgate::differential
