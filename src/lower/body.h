// The concrete LaneBuilder: lowers the body of one PTX function, and of what it inlines, into one LLVM function.
#pragma once

#include "lower/kernel_lowering.h"
#include "lower/lane_builder.h"
#include "observe/observer.h"
#include "simd/lane_language.h"

#include <set>
#include <unordered_map>

namespace tollgate::lower {

// Shared by all functions of one kernel.
struct KernelState {
  std::shared_ptr<const ptx::Module> ptx;
  LowerOptions options;
  llvm::Module* module = nullptr;
  std::shared_ptr<SiteList> sites;
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> shared_offset; // (function + 1 or 0 for the module, variable)
  uint64_t device_shared_bytes = 0;                                // the same without red zones
  uint64_t static_shared_bytes = 0; // dynamic shared memory starts here, rounded up to 16
  uint64_t reserved_shared = 0;     // offset of what %reserved_smem_offset_* speak of, if the kernel asks
  uint64_t reserved_shared_bytes = 0;
  std::vector<SharedVariable> shared_names;
  std::map<uint32_t, uint32_t> outlined; // PTX function -> index in LoweredKernel::functions
  std::vector<OutlinedFunction> functions;
  bool maps_shared = false;         // some code makes addresses of other blocks' shared memory (mapa)
  std::set<uint32_t> recursive;     // PTX functions on a call cycle
  std::set<uint32_t> address_taken; // PTX functions that an indirect call may reach
  uint64_t inlined_instructions = 0;
  std::set<std::string> approximate;
  std::optional<Error> error;

  uint32_t outline(uint32_t ptx_function); // index, declaring it for lowering if new
};

class BodyLowering : public LaneBuilder {
public:
  BodyLowering(KernelState& state, llvm::Function* function);

  // Lowers PTX function `index` as the body of the LLVM function.
  void lower_entry(uint32_t index);
  void lower_outlined(uint32_t index);

  // --- LaneBuilder ------------------------------------------------------------------------------------------------
  llvm::Value* use(const ptx::Operand& operand, ptx::Type type) override;
  void def(const ptx::Operand& operand, ptx::Type type, llvm::Value* value) override;
  void def_pair(const ptx::Operand& operand, llvm::Value* i1) override;
  llvm::Value* carry() override;
  void set_carry(llvm::Value* i1) override;
  void fail(const ptx::Instruction& inst, std::string message) override;

  // --- for the lowering functions of memory.cpp, sync.cpp, control.cpp ---------------------------------------------
  simd::LaneLanguage& lanes() { return lanes_; }
  uint32_t site(const ptx::Instruction& inst);
  KernelState& state() { return state_; }
  // What an address operand points at: a space, and an i64 device address (an offset for Shared).
  struct Address {
    ptx::Space space = ptx::Space::Generic;
    llvm::Value* value = nullptr;   // i64
    llvm::Value* pointer = nullptr; // set where it is a parameter of a device function: plain LLVM memory
    bool is_kernel_param = false;   // a kernel parameter at constant offset `offset`
    uint64_t offset = 0;
  };
  Address address(const ptx::Operand& operand, ptx::Space space);
  llvm::Value* integer(const ptx::Operand& operand, unsigned bits); // any scalar operand as iN, zero-extended
  llvm::Value* symbol_value(const ptx::Operand& operand);           // i64: address in the symbol's own space
  llvm::Type* register_type(int32_t reg);
  const ptx::Function& function() const { return *frame_->function; }

  void lower_branch(const ptx::Instruction& inst);
  void lower_indirect_branch(const ptx::Instruction& inst);
  void lower_return(const ptx::Instruction& inst);
  void lower_exit(const ptx::Instruction& inst);
  void lower_call(const ptx::Instruction& inst);

private:
  // One inlined instance of a PTX function.
  struct Frame {
    const ptx::Function* function = nullptr;
    uint32_t index = 0;
    uint32_t called_from = 0; // site
    Frame* caller = nullptr;
    std::vector<llvm::AllocaInst*> registers;        // by register, made on first use
    std::vector<llvm::Value*> params, return_params; // pointers
    std::vector<llvm::AllocaInst*> variables;        // .local and .param variables of the body
    std::vector<llvm::BasicBlock*> blocks;           // by label
    llvm::BasicBlock* return_block = nullptr;        // null in the outermost frame
    llvm::AllocaInst* carry = nullptr;
    int64_t closing_brace = -1; // instruction that carries the kernel's closing brace
    bool is_kernel = false;
  };

  void lower_frame(Frame& frame);
  void lower_instruction(const ptx::Instruction& inst);
  void dispatch(const ptx::Instruction& inst);
  llvm::AllocaInst* stack_slot(llvm::Type* type, llvm::Align align);
  llvm::AllocaInst* byte_slot(uint64_t bytes, uint32_t align);
  llvm::AllocaInst* reg_slot(int32_t reg);
  llvm::Value* read_register(int32_t reg);
  void take_register_params();
  void give_register_results();
  llvm::BasicBlock* new_block(const char* name);
  bool inlinable(uint32_t index) const;
  void inline_call(uint32_t index, const ptx::Instruction& inst, llvm::ArrayRef<llvm::Value*> results,
                   llvm::ArrayRef<llvm::Value*> args);
  bool lower_system_call(const std::string& name, const ptx::Instruction& inst, llvm::ArrayRef<llvm::Value*> results,
                         llvm::ArrayRef<llvm::Value*> args);
  llvm::Value* as_pointer(const ptx::Operand& operand);

  KernelState& state_;
  llvm::Function* function_;
  simd::LaneLanguage lanes_;
  Frame* frame_ = nullptr;
  llvm::BasicBlock* entry_ = nullptr; // allocas
  unsigned depth_ = 0;
};

using BodyLowerFn = void (*)(BodyLowering&, const ptx::Instruction&);
BodyLowerFn find_memory(std::string_view mnemonic);  // memory.cpp
BodyLowerFn find_async(std::string_view mnemonic);   // async_copy.cpp
BodyLowerFn find_sync(std::string_view mnemonic);    // sync.cpp
BodyLowerFn find_control(std::string_view mnemonic); // control.cpp

} // namespace tollgate::lower
