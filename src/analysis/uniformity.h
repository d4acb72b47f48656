// Which values are the same for all lanes that run together, and which blocks are run by all lanes of the warp.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Function.h>

namespace tollgate::analysis {

// How a lane-language call treats uniformity; answered by the client, who knows the language.
enum class LaneResult : unsigned char {
  Elementwise, // uniform if all operands are
  Varying,
  Uniform, // the same for all lanes running together, whatever the operands
};

class Uniformity;

struct UniformityClient {
  virtual ~UniformityClient() = default;
  virtual LaneResult result(const llvm::Instruction& call) const = 0;
  virtual bool stops(const llvm::Instruction& inst) const = 0;    // a point where lanes may be parted in time
  virtual bool can_part(const llvm::Instruction& inst) const = 0; // a stop that may, where not all lanes come to it
  // A stop behind which lanes that came together go on at different times.
  virtual bool parts(const llvm::Instruction& inst, const Uniformity& known) const = 0;
  virtual bool entered_in_parts() const = 0; // groups of one warp may be in the function at different times
};

class Uniformity {
public:
  Uniformity(llvm::Function& function, const llvm::LoopInfo& loops, const llvm::PostDominatorTree& post_dominators,
             const UniformityClient& client);

  [[nodiscard]] bool is_uniform(const llvm::Value* value) const { return !varying_.contains(value); }
  // Run by all lanes of the warp that have not left the kernel, together.
  [[nodiscard]] bool runs_together(const llvm::BasicBlock* block) const { return !divergent_blocks_.contains(block); }
  // Lanes may stop at different places or times: nothing but invariant values stays uniform across a stop.
  [[nodiscard]] bool may_split() const { return split_; }
  // A phi of this block merges lanes that came different ways, or left a loop at different times.
  [[nodiscard]] bool is_divergent_join(const llvm::BasicBlock* block) const { return joins_.contains(block); }

private:
  void propagate();
  void note_divergent_branch(const llvm::BasicBlock* block);
  bool force_varying_across_stops();
  bool is_invariant(const llvm::Value* value);

  llvm::Function& function_;
  const llvm::LoopInfo& loops_;
  const llvm::PostDominatorTree& post_dominators_;
  const UniformityClient& client_;
  llvm::DenseSet<const llvm::Value*> varying_;
  llvm::DenseSet<const llvm::BasicBlock*> divergent_blocks_, joins_, noted_;
  llvm::DenseMap<const llvm::Value*, bool> invariant_;
  bool split_ = false;
};

} // namespace tollgate::analysis
