// A grid made by hand for the race checker: who accesses what, and what synchronises.
#pragma once

#include "checks/race/race_check.h"
#include "synthetic.h"

namespace tollgate::checks::testing {

constexpr uint64_t global_base = 0x7000'0000'0000, shared_base = 0x6000'0000'0000;

// One thread of a test.
struct Who {
  uint64_t block = 0;
  uint32_t warp = 0, lane = 0;
};

class RaceBench {
public:
  explicit RaceBench(uint32_t threads = 64, uint32_t blocks = 2) {
    memory.objects = {{AllocationInfo::Kind::Shared, shared_base, 4096, "", ""},
                      {AllocationInfo::Kind::Global, global_base, 1 << 20, "", ""}};
    info.grid = {blocks, 1, 1};
    info.block = {threads, 1, 1};
    info.threads_per_block = threads;
    info.warps_per_block = (threads + warp_size - 1) / warp_size;
    info.sites = &sites;
    race.on_launch(info);
    for (uint64_t b = 0; b < blocks; ++b) race.on_block_begin(ref(b));
  }

  static BlockRef ref(uint64_t block) { return {block, {static_cast<uint32_t>(block), 0, 0}}; }

  // A whole instruction: lane i at first + i * stride.
  void warp(uint64_t block, uint32_t warp, AccessKind kind, SiteId site, uint64_t first, uint64_t stride,
            LaneMask mask = all_lanes, Order order = Order::Weak, SyncScope scope = SyncScope::None,
            const void* values = nullptr) {
    uint64_t addresses[warp_size];
    for (uint32_t lane = 0; lane < warp_size; ++lane) addresses[lane] = first + lane * stride;
    MemoryEvent event;
    event.block = ref(block), event.warp = warp, event.mask = mask, event.site = site, event.kind = kind;
    event.bytes = 4, event.address = addresses, event.order = order, event.scope = scope;
    event.values = values, event.element_bytes = values == nullptr ? 0 : 4;
    race.on_memory(event);
  }
  void one(Who who, AccessKind kind, SiteId site, uint64_t address, Order order = Order::Weak,
           SyncScope scope = SyncScope::None) {
    warp(who.block, who.warp, kind, site, address, 0, 1u << who.lane, order, scope);
  }
  void read(Who who, SiteId site, uint64_t address) { one(who, AccessKind::Load, site, address); }
  void write(Who who, SiteId site, uint64_t address) { one(who, AccessKind::Store, site, address); }
  void atomic(Who who, SiteId site, uint64_t address, Order order = Order::Relaxed, SyncScope scope = SyncScope::Gpu) {
    one(who, AccessKind::Atomic, site, address, order, scope);
  }
  void fence(Who who, SyncScope scope = SyncScope::Gpu, Order order = Order::SeqCst) {
    race.on_fence({ref(who.block), who.warp, 1u << who.lane, 900, order, scope});
  }
  void warp_barrier(uint64_t block, uint32_t warp, LaneMask mask = all_lanes) {
    race.on_warp_barrier({ref(block), warp, mask, 901});
  }
  void arrive(uint64_t block, uint32_t warp, uint32_t id = 0, BarrierKind kind = BarrierKind::Sync,
              LaneMask mask = all_lanes) {
    const BarrierArrival arrival{ref(block), warp, mask, 902, id, 0, kind, true};
    race.on_barrier_arrival(arrival);
  }
  void complete(uint64_t block, uint32_t id = 0) { race.on_barrier_completion({ref(block), id, 0, {}, {}}); }
  void barrier(uint64_t block) {
    for (uint32_t w = 0; w < info.warps_per_block; ++w) arrive(block, w);
    complete(block);
  }
  void mbarrier(Who who, MbarrierOp op, uint64_t address, bool completes = false) {
    race.on_mbarrier({ref(who.block), who.warp, 1u << who.lane, 903, op, address, completes});
  }

  // The launch anew, in clusters of so many blocks.
  void in_clusters_of(uint32_t blocks) {
    info.cluster = {blocks, 1, 1};
    race.on_launch(info);
    for (uint64_t b = 0; b < info.grid[0]; ++b) race.on_block_begin(ref(b));
  }
  void cluster_barrier(std::vector<uint64_t> blocks, bool orders = true) {
    using Op = observe::ClusterBarrierOp;
    const auto each_warp = [&](Op op) {
      for (const uint64_t b : blocks)
        for (uint32_t w = 0; w < info.warps_per_block; ++w)
          race.on_cluster_barrier({ref(b), op, w, all_lanes, 904, orders, 0});
    };
    each_warp(Op::Arrive);
    for (const uint64_t b : blocks) race.on_cluster_barrier({ref(b), Op::Complete, 0, 0, 0, true, 0});
    each_warp(Op::Wait);
  }

  // "error race-shared 3 1": rule, line of this access, line of the other.
  std::vector<std::string> heard() const {
    std::vector<std::string> out;
    for (const Finding& f : sink.findings) {
      std::string text = f.severity == Severity::Error ? "error " : "warning ";
      text += f.rule + " " + std::to_string(f.at.at.stack[0].line);
      text += " " + std::to_string(f.others.at(0).at.stack[0].line);
      out.push_back(text);
    }
    return out;
  }

  CollectingSink sink;
  Sites sites;
  Memory memory;
  LaunchInfo info;
  race::RaceCheck race{sink, memory};
};

} // namespace tollgate::checks::testing
