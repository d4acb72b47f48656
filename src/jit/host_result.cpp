#include "jit/host_result.h"

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>

#include <array>
#include <memory>
#include <mutex>
#include <sys/uio.h>
#include <unistd.h>

namespace tollgate::jit {

namespace {

constexpr uint64_t longest_instruction = 15;

// Code that cannot be read is none.
size_t read_code(uint64_t address, std::array<uint8_t, longest_instruction>& out) {
  for (size_t bytes : {out.size(), size_t{4096 - address % 4096}}) {
    const iovec to{out.data(), std::min(bytes, out.size())}, from{reinterpret_cast<void*>(address), to.iov_len};
    const ssize_t got = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
    if (got > 0) return static_cast<size_t>(got);
  }
  return 0;
}

// A decoder of this machine's instructions, and which of its registers a call's result is in.
class Decoder {
public:
  Decoder() {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetDisassembler();
    const llvm::Triple triple(llvm::sys::getProcessTriple());
    std::string error;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple.str(), error);
    if (target == nullptr) return;
    registers_.reset(target->createMCRegInfo(triple.str()));
    info_.reset(target->createMCAsmInfo(*registers_, triple.str(), {}));
    instructions_.reset(target->createMCInstrInfo());
    subtarget_.reset(target->createMCSubtargetInfo(triple.str(), llvm::sys::getHostCPUName(), ""));
    context_ = std::make_unique<llvm::MCContext>(triple, info_.get(), registers_.get(), subtarget_.get());
    decoder_.reset(target->createMCDisassembler(*subtarget_, *context_));
    for (unsigned reg = 1; reg < registers_->getNumRegs(); ++reg)
      if (llvm::StringRef(registers_->getName(reg)) == "EAX") result_ = reg;
  }

  // Whether all ways from `address` on drop the result, of at most `left` instructions.
  ResultUse follow(uint64_t address, unsigned& left) {
    if (decoder_ == nullptr || result_ == 0) return ResultUse::Read;
    while (left != 0) {
      --left;
      std::array<uint8_t, longest_instruction> bytes{};
      const size_t count = read_code(address, bytes);
      llvm::MCInst inst;
      uint64_t size = 0;
      if (decoder_->getInstruction(inst, size, {bytes.data(), count}, address, llvm::nulls()) !=
          llvm::MCDisassembler::Success)
        return ResultUse::Read;
      const llvm::MCInstrDesc& does = instructions_->get(inst.getOpcode());
      address += size;
      const bool writes = writes_result(inst, does);
      if (!(writes && is_zeroing(inst)) && reads_result(inst, does)) return ResultUse::Read;
      if (does.isReturn()) return ResultUse::Returned;
      if (writes || does.isCall()) return ResultUse::Dropped;
      if (!does.isBranch()) continue;
      if (does.isIndirectBranch() || inst.getNumOperands() == 0 || !inst.getOperand(0).isImm()) return ResultUse::Read;
      const uint64_t there = address + static_cast<uint64_t>(inst.getOperand(0).getImm());
      if (does.isConditionalBranch()) {
        const ResultUse taken = follow(there, left);
        if (taken != ResultUse::Dropped) return taken;
      } else {
        address = there;
      }
    }
    return ResultUse::Read;
  }

private:
  [[nodiscard]] bool overlaps(unsigned reg) const { return reg != 0 && registers_->regsOverlap(reg, result_); }

  [[nodiscard]] bool reads_result(const llvm::MCInst& inst, const llvm::MCInstrDesc& does) const {
    for (unsigned i = does.getNumDefs(); i < inst.getNumOperands(); ++i)
      if (inst.getOperand(i).isReg() && overlaps(inst.getOperand(i).getReg())) return true;
    return llvm::any_of(does.implicit_uses(), [&](unsigned reg) { return overlaps(reg); });
  }
  // All of it.
  [[nodiscard]] bool writes_result(const llvm::MCInst& inst, const llvm::MCInstrDesc& does) const {
    const auto covers = [&](unsigned reg) { return reg == result_ || registers_->isSuperRegister(result_, reg); };
    for (unsigned i = 0; i < does.getNumDefs(); ++i)
      if (inst.getOperand(i).isReg() && covers(inst.getOperand(i).getReg())) return true;
    return llvm::any_of(does.implicit_defs(), covers);
  }
  // xor eax, eax
  [[nodiscard]] bool is_zeroing(const llvm::MCInst& inst) const {
    const llvm::StringRef name = instructions_->getName(inst.getOpcode());
    return (name.starts_with("XOR32rr") || name.starts_with("SUB32rr") || name.starts_with("XOR64rr")) &&
           inst.getNumOperands() >= 3 && inst.getOperand(1).getReg() == inst.getOperand(2).getReg();
  }

  std::unique_ptr<llvm::MCRegisterInfo> registers_;
  std::unique_ptr<llvm::MCAsmInfo> info_;
  std::unique_ptr<llvm::MCInstrInfo> instructions_;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget_;
  std::unique_ptr<llvm::MCContext> context_;
  std::unique_ptr<llvm::MCDisassembler> decoder_;
  unsigned result_ = 0;
};

} // namespace

ResultUse result_use(const void* return_address) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  static Decoder decoder;
  unsigned left = 200;
  return decoder.follow(reinterpret_cast<uint64_t>(return_address), left);
}

} // namespace tollgate::jit
