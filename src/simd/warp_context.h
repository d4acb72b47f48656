// The state that generated code and the scheduler share. Plain data: generated code reaches the fields by offsetof.
//
// A kernel becomes a step (jit::StepFunction): it runs the lanes in `mask` from the resume point `label` until each of
// them has left the kernel or waits, and leaves one Group for each set of lanes that stopped at one place.
#pragma once

#include "observe/shortcuts.h"

#include <cstdint>

namespace tollgate::simd {

constexpr unsigned kLanes = 32;
constexpr uint32_t kAllLanes = 0xffffffffu;

// Shared memory as addresses see it (exec/address.h).
constexpr uint64_t kSharedWindow = 1u << 24; // of one block; a cluster has one at every other multiple
constexpr uint32_t kMostRanks = 64;          // more than any cluster has, and they fit into 4 GiB

// Why a group of lanes stopped.
enum class StopKind : uint32_t {
  Ready = 0, // runnable: new, released, or gave way to others at a loop's back-edge
  Spin,      // runnable, but spent its budget in a loop that reads memory others write
  Barrier,   // at a block barrier; a = barrier, b = count (0: all threads), c = BarrierOp
  WarpSync,  // at a warp barrier; a = member mask, c = 1: it orders memory
  Call,      // calls a function that is not inlined; a = function, b = argument count, c = bytes of locals in use
  Return,    // came back from a function that is not inlined
};

// In the label that a step returns: the warp gave way in a loop, and waits for nothing.
constexpr uint32_t kGaveWay = 1u << 31;

constexpr uint32_t kClusterBarrier = 1u << 16; // barrier.cluster, as a Group's barrier: none that programs can name
enum class BarrierOp : uint32_t {
  Sync = 0,
  Arrive = 1,
  RedPopc = 2,
  RedAnd = 3,
  RedOr = 4,
  Unaligned = 8, // flags from here on
  Relaxed = 16   // barrier.cluster.arrive.relaxed: orders no memory
};

struct Group {
  uint32_t label = 0;
  uint32_t mask = 0;
  StopKind kind = StopKind::Ready;
  uint32_t a = 0, b = 0, c = 0;
  uint32_t site = 0;
  uint32_t predicate = 0; // Barrier reductions: the lanes whose predicate is true
  uint32_t depth = 0;     // call depth; filled in by the scheduler
  uint32_t function = 0;  // function that `label` belongs to

  [[nodiscard]] bool runnable() const { return kind == StopKind::Ready || kind == StopKind::Spin; }
};

struct BlockContext;

// Arguments of calls that are not inlined: 8 bytes a lane each.
constexpr unsigned kMaxCallArgs = 16;

struct alignas(64) WarpContext {
  alignas(64) uint32_t tid_x[kLanes];
  alignas(64) uint32_t tid_y[kLanes];
  alignas(64) uint32_t tid_z[kLanes];
  alignas(64) uint32_t barrier_result[kLanes]; // popcount, or 0/1: what bar.red hands to each lane
  uint64_t local_base = 0;                     // device address of lane 0's local memory
  uint64_t local_stride = 0;                   // bytes from lane to lane
  alignas(64) uint32_t local_offset[kLanes];   // start of the current function's frame in each lane's local memory
  uint8_t* frame = nullptr;                    // values that live across stops, 32 lanes side by side
  BlockContext* block = nullptr;
  uint32_t warp = 0;       // index in the block
  uint32_t exited = 0;     // lanes that left the kernel or never existed
  uint32_t present = 0;    // lanes that exist
  uint32_t tid_linear = 0; // 1: tid_x[i] == tid_x[0] + i for all 32 lanes, and all are present
  uint32_t group_count = 0;
  alignas(64) Group groups[kLanes]; // the first is written and read back at every barrier: within one cache line
  alignas(64) uint64_t call_args[kMaxCallArgs][kLanes];
  alignas(64) uint64_t call_targets[kLanes];
  uint32_t fell_off = 0; // lanes that ran past the closing brace (code built at -O0)
};

// Set by the host to end a launch: polled at back-edges.
struct LaunchControl {
  uint32_t stop = 0;
};

// An object of device memory that an access met, or a variable in the block's own shared memory, as long as memory has
// that generation.
struct KnownObject {
  uint64_t generation = 0, base = 0, end = 0;
};
constexpr unsigned kKnownObjects = 128; // a place for each access of the program, modulo this

struct BlockContext {
  uint32_t ctaid[3] = {0, 0, 0};
  uint32_t nctaid[3] = {1, 1, 1};
  uint32_t ntid[3] = {1, 1, 1};
  uint32_t dynamic_shared = 0, total_shared = 0;
  uint64_t shared_device = 0;     // device address of .shared offset 0
  uint8_t* shared_host = nullptr; // the same for the host
  uint64_t param_device = 0;
  const uint8_t* param_host = nullptr;
  const uint64_t* symbols = nullptr;       // device address of each module symbol
  const volatile uint32_t* stop = nullptr; // &LaunchControl::stop
  uint64_t grid_id = 0;
  uint64_t envreg12 = 0; // grid-sync workspace: %envreg1 (high), %envreg2 (low)
  uint32_t smid = 0, nsmid = 1;
  uint32_t nwarps = 1;
  // The cluster (a block without one is a cluster of its own).
  uint32_t cluster_ctaid[3] = {0, 0, 0};
  uint32_t cluster_nctaid[3] = {1, 1, 1};
  uint32_t clusterid[3] = {0, 0, 0};
  uint32_t nclusterid[3] = {1, 1, 1};
  uint32_t cluster_rank = 0, cluster_size = 1, cluster_explicit = 0;
  uint64_t cluster_shared = 0; // device address of the slab of rank 0
  uint64_t linear = 0;         // linear block index
  void* exec = nullptr;        // the scheduler's own block object
  // Observers: whether an access is of no interest that is aligned and wholly inside one live object, and how to tell.
  uint32_t quiet = 0;
  observe::Shortcuts* shortcuts = nullptr; // never null while a block runs
  const uint64_t* generation = nullptr;
  KnownObject known[kKnownObjects];
};

} // namespace tollgate::simd
