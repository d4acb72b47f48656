// The blocks of one cluster: resident together, on one host thread, and their barrier (PTX ISA 9.7.13.3). A block that
// was launched without a cluster is a cluster of its own.
#pragma once

#include "exec/block_run.h"

#include <memory>
#include <vector>

namespace tollgate::exec {

class ClusterRun {
public:
  ClusterRun(Launch& launch, unsigned worker);
  ~ClusterRun();
  ClusterRun(const ClusterRun&) = delete;
  ClusterRun& operator=(const ClusterRun&) = delete;

  [[nodiscard]] bool has_memory() const; // false when there is none for one more resident cluster
  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(blocks_.size()); }
  [[nodiscard]] BlockRun& block(unsigned rank) const { return *blocks_[rank]; }
  void start(uint64_t cluster); // clusters are counted as blocks are, x first
  // All threads of this block have left. True if that was the last block.
  bool leave(BlockRun& block);
  // This block has nothing to run: no other block can change that any more.
  [[nodiscard]] bool is_stuck(const BlockRun& block) const;
  // The block to blame for that: one whose threads wait for others than the cluster's.
  [[nodiscard]] BlockRun& culprit(BlockRun& found) const;

  // The barrier: so many more threads have arrived, threads have left.
  void count_arrivals(unsigned threads) { arrived_ += threads; }
  void check_barrier();

private:
  [[nodiscard]] bool all_arrived() const;

  Launch& launch_;
  std::vector<std::unique_ptr<BlockRun>> blocks_; // by rank
  uint64_t slabs_ = 0;
  uint64_t arrived_ = 0; // threads, in this phase; those that have left since included
  unsigned left_ = 0;    // blocks
};

} // namespace tollgate::exec
