// Observers watch a launch. Each declares what it needs; that set decides which hooks the generated code contains, so
// a run without observers has none. One event stands for one warp instruction: a lane mask and 32 addresses.
// Check mode runs on one worker: an observer needs no locks.
#pragma once

#include "observe/finding.h"
#include "observe/shortcuts.h"
#include "observe/site.h"

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tollgate::observe {

using LaneMask = uint32_t;
constexpr unsigned warp_size = 32;

enum EventSet : uint32_t {
  NoEvents = 0,
  MemoryEvents = 1u << 0,  // loads, stores, atomics
  BarrierEvents = 1u << 1, // arrive, complete, exit, stuck
  SyncEvents = 1u << 2,    // warp barriers, fences, mbarriers, asynchronous copies
  AtomicEvents = 1u << 3,  // of them, atomics (of 32-bit integers CAS alone, unless MemoryEvents are wanted too)
  UnsoundEvents = 1u << 4, // of the memory events, those that are not aligned, each lane wholly inside one live object
  UndefinedEvents = 1u << 5, // what is read that nobody wrote, and where that matters
};
constexpr EventSet AccessEvents = EventSet(MemoryEvents | AtomicEvents | UnsoundEvents); // any of them

// A variable in a block's shared memory.
struct SharedName {
  std::string name;
  uint64_t offset = 0, size = 0; // size 0: extern array, up to the end
  bool reserved = false;         // the system's own part: cooperative groups keep their barriers there
};

struct LaunchInfo {
  std::string kernel; // mangled
  std::string kernel_demangled;
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  uint32_t threads_per_block = 1, warps_per_block = 1;
  uint64_t shared_bytes = 0;                // static + dynamic
  std::array<uint32_t, 3> cluster{1, 1, 1}; // blocks; a block without a cluster launch is a cluster of its own
  bool cooperative = false;
  bool unoptimised = false; // device code was built at -O0: closing braces tell a return from a skip
  uint64_t sequence = 0;
  unsigned sm = 0;              // compute capability of the device, as in 90
  uint64_t resident_blocks = 0; // that a device like this one holds at a time; 0 if unknown
  const SiteTable* sites = nullptr;
  std::vector<SharedName> shared; // ascending offsets; what lies between them belongs to nobody
  // Local memory: lane i of a block has local_frame bytes at the block's local memory + i * local_stride.
  uint64_t local_stride = 0, local_frame = 0;
};

struct BlockRef {
  uint64_t linear = 0;
  std::array<uint32_t, 3> index{};
};

enum class AccessKind : uint8_t { Load, Store, Atomic };
enum class MemorySpace : uint8_t { Generic, Global, Shared, Local, Const, Param };
enum class Order : uint8_t { Weak, Volatile, Relaxed, Acquire, Release, AcqRel, SeqCst };
enum class SyncScope : uint8_t { None, Cta, Cluster, Gpu, Sys };

// The addresses of a warp's lanes: any, or in line, `first + lane * stride`.
class LaneAddresses {
public:
  LaneAddresses() = default;
  LaneAddresses(const uint64_t* each) : each_(each) {} // [32], valid where a lane runs
  [[nodiscard]] static LaneAddresses line(uint64_t first, uint64_t stride) {
    LaneAddresses out;
    out.first_ = first;
    out.stride_ = stride;
    return out;
  }
  [[nodiscard]] uint64_t operator[](uint32_t lane) const {
    return each_ == nullptr ? first_ + lane * stride_ : each_[lane];
  }
  [[nodiscard]] bool in_line() const { return each_ == nullptr; }
  [[nodiscard]] uint64_t stride() const { return stride_; } // in line; negative ones wrap around
  [[nodiscard]] const uint64_t* each() const { return each_; }
  [[nodiscard]] bool is_settled() const { return each_ == nullptr || irregular_; }
  // The same, as a line if the lanes of `mask` are found to stand in one.
  [[nodiscard]] LaneAddresses settled(LaneMask mask) const {
    if (is_settled() || mask == 0) return *this;
    const auto a = static_cast<uint32_t>(std::countr_zero(mask));
    const LaneMask others = mask & (mask - 1);
    if (others == 0) return line(each_[a], 0);
    const auto b = static_cast<uint32_t>(std::countr_zero(others));
    const uint64_t stride = b == a + 1 ? each_[b] - each_[a] : 0;
    const uint64_t first = each_[a] - a * stride;
    uint64_t differs = 0;
    if (mask == ~LaneMask{0})
      for (uint32_t lane = 0; lane < warp_size; ++lane) differs |= each_[lane] ^ (first + lane * stride);
    else
      for (LaneMask rest = others; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
        differs |= each_[lane] ^ (first + lane * stride);
      }
    if (differs == 0) return line(first, stride);
    LaneAddresses out = *this;
    out.irregular_ = true;
    return out;
  }

private:
  const uint64_t* each_ = nullptr;
  uint64_t first_ = 0, stride_ = 0;
  bool irregular_ = false; // it has been looked for a line
};

struct MemoryEvent {
  BlockRef block;
  uint32_t warp = 0;
  LaneMask mask = 0;
  SiteId site = 0;
  AccessKind kind = AccessKind::Load;
  MemorySpace space = MemorySpace::Generic; // as the instruction names it
  Order order = Order::Weak;
  SyncScope scope = SyncScope::None;
  uint32_t bytes = 0;           // per lane
  LaneAddresses address;        // generic device addresses
  const void* values = nullptr; // Store: what is about to be written, elements[count][32]; null if unknown
  uint32_t element_bytes = 0;   // of one of them
  bool compares = false;        // Atomic: compare-and-swap. Load: its value goes to those alone (simd/guesses.h)
  bool polls = false;           // Load: weak, and its value alone ends a loop that writes nothing
  bool by_copy = false;         // made by an asynchronous copy, which AsyncEvent told of
};

// What most accesses are: sound and weak, of all lanes in rows of equal length, or of some lanes side by side in one
// row. Lane i of a row accesses `bytes` (1, 2, 4, 8 or 16) at first + i * stride; the stride is a multiple of `bytes`,
// and not 0 for a store.
struct RowsAccess {
  uint64_t block = 0; // linear
  uint32_t warp = 0;
  SiteId site = 0;
  AccessKind kind = AccessKind::Load; // no atomic
  MemorySpace space = MemorySpace::Generic;
  uint32_t bytes = 0;
  uint32_t stride = 0;
  std::span<const uint64_t> first;      // of 1, 2 or 4 rows
  uint32_t lane = 0, lanes = warp_size; // the first one, and how many there are in all
};

// Of a warp whose lanes all stand in such rows.
[[nodiscard]] inline uint64_t address_in_rows(std::span<const uint64_t> first, uint64_t stride, uint32_t lane) {
  const size_t lanes = warp_size / first.size();
  return first[lane / lanes] + lane % lanes * stride;
}

// What most atomics are: sound, of 32 bits, no compare-and-swap, relaxed and at gpu scope, of all 32 lanes.
struct UpdatesAccess {
  uint64_t block = 0; // linear
  uint32_t warp = 0;
  SiteId site = 0;
  const uint64_t* address = nullptr; // [32]
};

// fence, membar: orders the memory operations of each lane by itself. AcqRel also stands for fence.sc.
struct FenceEvent {
  BlockRef block;
  uint32_t warp = 0;
  LaneMask mask = 0;
  SiteId site = 0;
  Order order = Order::AcqRel;
  SyncScope scope = SyncScope::None;
};

// bar.warp.sync was satisfied: it orders memory among the lanes in mask. Shuffles and votes order none.
struct WarpBarrierEvent {
  BlockRef block;
  uint32_t warp = 0;
  LaneMask mask = 0;
  SiteId site = 0;
};

// Lanes of one warp come to an operation that names its members (shfl, vote, match, redux, elect, bar.warp.sync).
// Not every operation is told: those whose lanes and masks cannot but fit are left out.
struct WarpSyncEvent {
  BlockRef block;
  uint32_t warp = 0;
  LaneMask mask = 0; // lanes that are here together
  SiteId site = 0;
  std::array<LaneMask, 32> wanted{}; // their masks
  LaneMask skipped = 0; // only after the wait: named lanes that reached the end of the kernel meanwhile, past
                        // its closing brace (if unoptimised): they left without having come here
};

enum class MbarrierOp : uint8_t { Init, Invalidate, Arrive, Wait, Poll };

// An operation of one lane on an mbarrier object. Wait: the phase asked for is complete; Poll: not yet.
struct MbarrierEvent {
  BlockRef block;
  uint32_t warp = 0;
  LaneMask mask = 0;
  SiteId site = 0;
  MbarrierOp op = MbarrierOp::Arrive;
  uint64_t address = 0;
  bool completes = false; // Arrive: the phase ends with it
  uint32_t arrivals = 0;  // Arrive: how many; 0 if it only counts bytes
  uint32_t pending = 0,
           expected = 0; // arrivals, in the object before the operation; Init: expected is what is asked for
  int32_t bytes = 0;     // still to come, in the object before the operation
  bool relaxed = false;  // Arrive: hands on nothing that the thread did, as all that only counts bytes
};

// cp.async and cp.async.bulk, what they are waited for by, and the fence between the proxies.
enum class AsyncOp : uint8_t {
  Copy,           // cp.async
  Commit,         // cp.async.commit_group
  Wait,           // cp.async.wait_group, wait_all: all groups but the last `groups` are complete
  MbarrierArrive, // cp.async.mbarrier.arrive: once all copies of this thread are complete
  BulkCopy,       // cp.async.bulk; complete with an mbarrier's bytes, or with its bulk group if `mbarrier` is null
  BulkCommit,
  BulkWait,
  BulkWaitRead, // cp.async.bulk.wait_group.read: the sources have been read
  ProxyFence    // fence.proxy.async
};
constexpr uint32_t no_groups = UINT32_MAX; // Wait: cp.async.wait_all, copies without a group included

struct AsyncEvent {
  BlockRef block;
  uint32_t warp = 0;
  LaneMask mask = 0;
  SiteId site = 0;
  AsyncOp op = AsyncOp::Copy;
  uint32_t groups = 0;                                    // Wait, BulkWait, BulkWaitRead
  const uint64_t *to = nullptr, *from = nullptr;          // [32], copies
  const uint32_t *bytes = nullptr, *bytes_read = nullptr; // [32], copies
  const uint64_t* mbarrier = nullptr;                     // [32], MbarrierArrive and BulkCopy
};

// barrier.cluster. Arrive: lanes come. Complete: every thread of the cluster that is left has come; one event for each
// block, with the block only. Wait: lanes of a complete phase go on.
enum class ClusterBarrierOp : uint8_t { Arrive, Complete, Wait };
struct ClusterBarrierEvent {
  BlockRef block;
  ClusterBarrierOp op = ClusterBarrierOp::Arrive;
  uint32_t warp = 0;
  LaneMask mask = 0;
  SiteId site = 0;
  bool orders = true;       // Arrive: .release and not .relaxed
  LaneMask out_of_turn = 0; // lanes that arrive again before they waited, or wait without having arrived
};

enum class BarrierKind : uint8_t { Sync, Arrive, RedPopc, RedAnd, RedOr };

// Lanes of one warp reach a block barrier. `count` is 0 for "all threads of the block".
struct BarrierArrival {
  BlockRef block;
  uint32_t warp = 0;
  LaneMask mask = 0;
  SiteId site = 0;
  uint32_t barrier = 0, count = 0;
  BarrierKind kind = BarrierKind::Sync;
  bool aligned = true;
  uint32_t named = 0; // the number that the program gave; `barrier` is within 0 to 15
};

// The barrier was satisfied: everybody in `arrivals` is released. Threads that are in none had exited before.
struct BarrierCompletion {
  BlockRef block;
  uint32_t barrier = 0, count = 0;
  std::span<const BarrierArrival> arrivals; // in the order of arrival
  std::span<const LaneMask> exited;         // [warps]: lanes that had left the kernel (absent lanes excluded)
};

// What stands for all this where every warp of a block came to the same barrier as a whole and nobody had left: an
// arrival of each warp at barrier 0, for all threads, and the completion.
struct BlockBarrier {
  BlockRef block;
  SiteId site = 0;
};

struct ExitEvent {
  BlockRef block;
  uint32_t warp = 0;
  LaneMask mask = 0;         // lanes that leave now
  LaneMask fell_off_end = 0; // of those, the lanes that ran past the closing brace (meaningful if unoptimised)
  SiteId site = 0;
};

enum class WaitKind : uint8_t { Barrier, WarpBarrier, Spin, Sleep, Mbarrier, ClusterBarrier };

struct WaitingLanes {
  uint32_t warp = 0;
  LaneMask mask = 0;
  WaitKind kind = WaitKind::Barrier;
  uint32_t barrier = 0, count = 0; // Barrier
  LaneMask wanted = 0;             // WarpBarrier: the member mask
  SiteId site = 0;
  uint64_t polled = 0; // Spin: an address that they read again and again, if known; Mbarrier: the object
};

// Where the threads of a block are that cannot go on.
struct StuckBlock {
  BlockRef block;
  std::vector<WaitingLanes> waiting;
  std::vector<LaneMask> exited; // [warps]
};

// No thread of the block can go on. The launch is ended after this event.
struct StuckEvent : StuckBlock {
  bool livelock = false;          // threads spin on values nobody changes, rather than wait
  uint64_t not_started = 0;       // blocks of the grid that have no thread yet
  std::vector<StuckBlock> others; // of its cluster; in a livelock all that go round as well
};

// A memory access that could not be carried out (unmapped address), or a call through a pointer that is no function;
// the launch ends with cudaErrorIllegalAddress.
struct FaultEvent {
  BlockRef block;
  uint32_t warp = 0;
  LaneMask mask = 0;
  SiteId site = 0;
  uint64_t address = 0; // as the kernel saw it
  bool known = false;   // false: the place could not be recovered
  bool is_call = false;
};

// A kernel's free() of what its malloc() did not return, or took back before: nothing happens.
struct BadFreeEvent {
  BlockRef block;
  uint32_t warp = 0;
  LaneMask mask = 0;
  SiteId site = 0;
  uint64_t address = 0;
};

// Lanes use a value that a shuffle took from a lane that had no part in it.
enum class ValueUse : uint8_t { Branch, Address, Store, Atomic };
struct InactiveUseEvent {
  BlockRef block;
  uint32_t warp = 0;
  LaneMask mask = 0;
  SiteId site = 0; // of the use; 0 for a branch
  SiteId shuffle = 0;
  ValueUse use = ValueUse::Store;
};

// Lanes read bytes that nobody wrote. That alone is no mistake: padding is copied, and what is read may be thrown away.
struct UndefinedLoadEvent {
  BlockRef block;
  uint32_t warp = 0;
  LaneMask mask = 0;
  SiteId site = 0;
  uint32_t bytes = 0;
  const uint64_t* address = nullptr; // [32]
};

// Such a value, or what was computed from it, decides something.
struct UndefinedUseEvent {
  BlockRef block;
  uint32_t warp = 0;
  LaneMask mask = 0;
  SiteId site = 0;                // of the use; 0 for a branch
  SiteId load = 0;                // 0: unknown
  ValueUse use = ValueUse::Store; // Store: of what was computed from it; copies are none
};

// These lanes went round a waiting loop in vain for so long that other lanes of their warp get their turn.
struct GiveWayEvent {
  BlockRef block;
  uint32_t warp = 0;
  LaneMask mask = 0;
};

// A host thread touched an address of the device's window; the signal takes its course after this.
struct HostFaultEvent {
  uint64_t address = 0;           // as a kernel would see it
  std::string where;              // module of the instruction and its offset there, if known
  std::vector<SourceFrame> lines; // the same as lines of the host program, innermost first
};

// What lies at a device address.
struct AllocationInfo {
  enum class Kind : uint8_t {
    None,
    Global,
    Managed,
    Mapped,
    ModuleVariable,
    Shared,
    Local,
    Const,
    Param,
    Freed,
    HostMemory,
    LeftShared // shared memory of a block that has left, while others of its cluster still run
  };
  Kind kind = Kind::None;
  uint64_t base = 0, size = 0; // as asked for
  std::string name;            // variable name, or empty
  std::string allocated_at;    // host call site, may be empty
};

class MemoryMap {
public:
  virtual ~MemoryMap() = default;
  // The live object that contains `address`, or else the nearest one below it (Kind::None if there is none).
  [[nodiscard]] virtual AllocationInfo lookup(uint64_t address) const = 0;
  // Fast test for one access: wholly inside a live object.
  [[nodiscard]] virtual bool contains(uint64_t address, uint32_t bytes) const = 0;
  // No address outside of [first, second) is in any object; empty: not known.
  [[nodiscard]] virtual std::pair<uint64_t, uint64_t> window() const { return {0, 0}; }
  // The bytes of a live object; call contains() first. Null if they cannot be read.
  [[nodiscard]] virtual const void* bytes_at(uint64_t) const { return nullptr; }
};

class Observer {
public:
  virtual ~Observer() = default;
  [[nodiscard]] virtual EventSet events() const = 0;
  // No memory event matters until the next block begins or ends.
  [[nodiscard]] virtual bool idle() const { return false; }

  virtual void on_launch(const LaunchInfo&) {}
  virtual void on_launch_end() {}
  virtual void on_block_begin(const BlockRef&) {}
  virtual void on_block_end(const BlockRef&) {}
  virtual void on_memory(const MemoryEvent&) {}
  virtual void on_barrier_arrival(const BarrierArrival&) {}
  virtual void on_barrier_completion(const BarrierCompletion&) {}
  // Instead of on_memory, to the only observer of memory events; false: it wants to hear all.
  virtual bool on_rows(const RowsAccess&) { return false; }
  virtual bool on_updates(const UpdatesAccess&) { return false; }
  // Asked before the warps of a block run, of the only observer of memory events: what the code of this block may note
  // by itself until another block runs (observe/shortcuts.h); null: nothing.
  [[nodiscard]] virtual Shortcuts* shortcuts(uint64_t) { return nullptr; }
  virtual void on_block_barrier(const BlockBarrier&) {} // instead of the two before
  virtual void on_fence(const FenceEvent&) {}
  virtual void on_warp_barrier(const WarpBarrierEvent&) {}
  virtual void on_warp_sync(const WarpSyncEvent&) {}
  virtual void on_mbarrier(const MbarrierEvent&) {}
  virtual void on_async(const AsyncEvent&) {} // with SyncEvents, before the accesses of a copy
  // A kernel gives back what it got from malloc: the object is still live. Only with MemoryEvents.
  virtual void on_device_free(uint64_t /*address*/) {}
  virtual void on_bad_free(const BadFreeEvent&) {} // after it. Only with MemoryEvents
  virtual void on_cluster_barrier(const ClusterBarrierEvent&) {}
  virtual void on_exit(const ExitEvent&) {}
  virtual void on_inactive_use(const InactiveUseEvent&) {}
  virtual void on_undefined_load(const UndefinedLoadEvent&) {}
  virtual void on_undefined_use(const UndefinedUseEvent&) {}
  virtual void on_give_way(const GiveWayEvent&) {}
  virtual void on_host_fault(const HostFaultEvent&) {}
  virtual void on_stuck(const StuckEvent&) {}
  virtual void on_fault(const FaultEvent&) {}

protected:
  Observer(FindingSink& sink, const MemoryMap& memory) : sink_(sink), memory_(memory) {}
  FindingSink& sink_;
  const MemoryMap& memory_;
};

} // namespace tollgate::observe
