// One resident block: its warps, the groups of lanes in each, its barriers. A block stays on one host thread.
#pragma once

#include "exec/launch.h"

#include <map>
#include <memory>
#include <span>
#include <vector>

namespace tollgate::exec {

// What a turn of a block came to.
enum class Turn : uint8_t {
  Finished, // every thread has left the kernel
  Worked,   // something got done; more to do
  Spun,     // all that could run only spent its budget waiting for others
  Stuck,    // nothing can run
};

// The first thread of `lanes`, for a finding.
observe::ThreadIndex thread_of(const simd::WarpContext& warp, uint32_t lanes);

class ClusterRun;

class BlockRun {
public:
  // `slab` is its shared memory, `first_slab` that of rank 0 in its cluster: the cluster's to give back.
  BlockRun(Launch& launch, unsigned worker, ClusterRun& cluster, unsigned rank, uint64_t slab, uint64_t first_slab);
  ~BlockRun();
  BlockRun(const BlockRun&) = delete;
  BlockRun& operator=(const BlockRun&) = delete;

  // False when there is no memory for one more resident block.
  [[nodiscard]] bool has_memory() const { return local_ != 0 || launch_.config->local_stride == 0; }
  void start(uint64_t linear);
  Turn turn();
  void finish();
  // For kernels without stops: each warp runs to its end at once.
  void run_straight(uint64_t linear);
  // `others`: resident blocks, those that go round as well.
  void report_stuck(bool livelock, std::span<BlockRun* const> others);
  [[nodiscard]] uint64_t digest() const; // of all registers that live across turns, and of local memory
  void note_warp_barrier(uint32_t warp, uint32_t lanes, uint32_t site); // to the observers
  [[nodiscard]] Launch& launch() const { return launch_; }
  // The object that this access of the program met last.
  DeviceMemory::Found& last_object(uint32_t site) { return context_.known[site % simd::kKnownObjects]; }
  [[nodiscard]] ClusterRun& cluster() const { return cluster_; }
  [[nodiscard]] uint64_t slab() const { return context_.shared_device; }
  [[nodiscard]] uint64_t live_threads() const { return live_threads_; }
  [[nodiscard]] bool can_run() const;      // some lanes neither wait nor have left
  [[nodiscard]] bool waits_within() const; // some lanes wait for others of the block
  // Its part in the cluster's barrier.
  [[nodiscard]] bool waits_for_cluster() const;      // some lanes wait there
  [[nodiscard]] bool has_arrived_at_cluster() const; // every lane that is left
  void note_cluster_complete();                      // to the observers
  void release_from_cluster();                       // all waiting lanes; the next phase begins
  [[nodiscard]] observe::BlockRef ref() const {
    return {context_.linear, {context_.ctaid[0], context_.ctaid[1], context_.ctaid[2]}};
  }

private:
  friend struct StopHelpers;
  struct CallRecord {
    uint32_t function = 0, label = 0, local_offset = 0;
  };
  struct CallStacks { // made at the first call that is not inlined
    std::vector<CallRecord> lane[simd::kLanes];
    std::map<std::pair<uint32_t, uint32_t>, std::unique_ptr<uint8_t[]>> frames; // (depth, function)
  };
  struct Warp {
    simd::WarpContext* context = nullptr;
    std::unique_ptr<CallStacks> calls;
    uint32_t arrived_exits = 0;   // exited lanes already accounted for
    uint32_t cluster_arrived = 0; // at barrier.cluster, in the present phase
    uint32_t cluster_due = 0;     // arrived there and have not waited since
  };
  struct Barrier {
    uint32_t expected = 0;                         // 0: all threads of the block
    uint64_t threads = 0;                          // lanes that arrived
    bool open = false;                             // somebody arrived since the last completion
    std::vector<uint32_t> arrived;                 // [warps]
    std::vector<observe::BarrierArrival> arrivals; // only if observed
    uint32_t popc = 0, all = 0, any = 0;           // reductions so far
  };
  // Groups carry the round they may run in next: a warp that gave way waits for its neighbours.
  void set_block(uint64_t linear);
  void forget_written_memory();
  bool run_together();
  void note_block_barrier(uint32_t label); // to the observers
  void set_quiet();
  [[nodiscard]] bool is_together() const;
  void shuffle_order();
  bool run_warp(unsigned warp, bool& worked);
  int pick(const simd::WarpContext& w) const;
  void step(unsigned warp, simd::Group group);
  void leave_group(simd::WarpContext& w, uint32_t label, uint32_t mask);
  void sort_out(unsigned warp, uint32_t first_new);
  void note_exits(unsigned warp);
  void arrive(unsigned warp, simd::Group& group);
  bool check_barrier(uint32_t id);
  void check_all_barriers();
  void complete_barrier(uint32_t id);
  void release(unsigned warp, uint32_t id);
  void arrive_at_cluster(unsigned warp, const simd::Group& group);
  void wait_for_cluster(unsigned warp, const simd::Group& group);
  void note_cluster(observe::ClusterBarrierOp op, unsigned warp, const simd::Group& group, uint32_t out_of_turn);
  static uint32_t slot_of(uint32_t barrier) { return barrier & 15; } // in barriers_
  void describe_stuck(observe::StuckBlock& out) const;
  void check_warp_sync(unsigned warp);
  void note_skipped(uint32_t warp, std::span<const simd::Group> released, uint32_t skipped);
  void enter_call(unsigned warp, simd::Group group);
  void leave_call(unsigned warp, simd::Group group);
  void add_ready(simd::WarpContext& w, simd::Group group);
  uint8_t* frame_for(Warp& warp, uint32_t depth, uint32_t function);
  void set_local_offsets(Warp& warp, const simd::Group& group);
  [[nodiscard]] bool observed(observe::EventSet set) const { return (launch_.config->events & set) != 0; }

  Launch& launch_;
  ClusterRun& cluster_;
  const jit::CompiledKernel& kernel_;
  simd::BlockContext context_;
  std::vector<Warp> warps_;
  simd::WarpContext* contexts_ = nullptr; // [warps]
  uint8_t* frames_ = nullptr;             // [warps] x frame bytes of the kernel
  size_t frame_stride_ = 0;
  uint64_t local_ = 0;
  Barrier barriers_[16];
  unsigned open_barriers_ = 0;
  uint64_t live_threads_ = 0;
  bool progressed_ = false;
  std::vector<unsigned> order_; // of the warps in a turn
  uint64_t random_ = 0;         // 0: warps run in the order of their index
  bool together_ = false;       // every warp is one runnable group, and no barrier is open
};

} // namespace tollgate::exec
