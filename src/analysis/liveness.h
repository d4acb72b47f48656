// Values alive at the start of each block: backward data flow over SSA form.
#pragma once

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>

#include <vector>

namespace tollgate::analysis {

class Liveness {
public:
  explicit Liveness(llvm::Function& function);
  // Instructions whose value is needed at or after the start of `block`, phis of the block excluded.
  [[nodiscard]] std::vector<llvm::Instruction*> live_in(const llvm::BasicBlock* block) const;

private:
  std::vector<llvm::Instruction*> values_;
  llvm::DenseMap<const llvm::BasicBlock*, llvm::BitVector> in_;
};

} // namespace tollgate::analysis
