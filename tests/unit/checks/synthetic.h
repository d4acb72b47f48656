// A launch made by hand: tests say what warps do, observers see the events, findings are collected.
#pragma once

#include "checks/registry.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace tollgate::checks::testing {

using namespace observe;

struct CollectingSink final : FindingSink {
  std::vector<Finding> findings;
  void report(Finding finding) override { findings.push_back(std::move(finding)); }
};

// Site N is line N of a.cu, unless a test says otherwise.
struct Sites final : SiteTable {
  std::map<SiteId, uint32_t> lines;
  std::string file = "a.cu";
  std::set<SiteId> wrapped; // by a function of the toolkit
  std::set<SiteId> helped;  // by a function in a header of the user's
  std::set<SiteId> library; // no line of the user's is on the way
  Place place(SiteId site) const override {
    Place place;
    const auto known = lines.find(site);
    place.stack = {{file, known == lines.end() ? site : known->second, 5, "k(int*)"}};
    const SourceFrame header{"/usr/local/cuda/include/header.hpp", 107, 3, "function()"};
    if (wrapped.contains(site)) place.stack.insert(place.stack.begin(), header);
    if (helped.contains(site)) place.stack.insert(place.stack.begin(), {"helper.h", 371, 5, "add(int*)"});
    if (library.contains(site)) place.stack = {header};
    place.ptx_line = site;
    return place;
  }
};

struct Memory final : MemoryMap {
  std::vector<AllocationInfo> objects;
  AllocationInfo lookup(uint64_t address) const override {
    AllocationInfo best;
    for (const auto& object : objects)
      if (object.base <= address && (best.kind == AllocationInfo::Kind::None || object.base > best.base)) best = object;
    return best;
  }
  bool contains(uint64_t address, uint32_t bytes) const override {
    const AllocationInfo object = lookup(address);
    const bool live = object.kind != AllocationInfo::Kind::None && object.kind != AllocationInfo::Kind::Freed &&
                      object.kind != AllocationInfo::Kind::HostMemory;
    return live && address + bytes <= object.base + object.size;
  }
  std::pair<uint64_t, uint64_t> window() const override { return {0x7000'0000'0000, 0x7000'0010'0000}; } // global
};

constexpr LaneMask all_lanes = ~LaneMask{0};

class Bench {
public:
  explicit Bench(uint32_t threads, bool unoptimised = true, bool check = true) {
    info_.kernel_demangled = "k(int*)";
    info_.block = {threads, 1, 1};
    info_.threads_per_block = threads;
    info_.warps_per_block = (threads + warp_size - 1) / warp_size;
    info_.unoptimised = unoptimised;
    info_.sites = &sites;
    exited_.resize(info_.warps_per_block);
    observers_ = make_observers({check}, sink, memory);
    each([&](Observer& o) {
      o.on_launch(info_);
      o.on_block_begin(block_);
    });
  }

  LaneMask lanes(uint32_t warp) const {
    const uint32_t left = info_.threads_per_block - warp * warp_size;
    return left >= warp_size ? all_lanes : (LaneMask{1} << left) - 1;
  }

  void arrive(uint32_t warp, LaneMask mask, SiteId site, uint32_t barrier = 0, uint32_t count = 0,
              BarrierKind kind = BarrierKind::Sync, bool aligned = true) {
    const BarrierArrival arrival{block_, warp, mask & lanes(warp), site, barrier, count, kind, aligned};
    pending_[barrier].push_back(arrival);
    each([&](Observer& o) { o.on_barrier_arrival(arrival); });
  }
  // All threads of the block, whole warps.
  void arrive_all(SiteId site) {
    for (uint32_t warp = 0; warp < info_.warps_per_block; ++warp) arrive(warp, lanes(warp), site);
  }
  void complete(uint32_t barrier = 0) {
    const BarrierCompletion done{block_, barrier, pending_[barrier].front().count, pending_[barrier], exited_};
    each([&](Observer& o) { o.on_barrier_completion(done); });
    pending_[barrier].clear();
  }
  void leave(uint32_t warp, LaneMask mask, SiteId site, bool fell_off) {
    mask &= lanes(warp);
    exited_[warp] |= mask;
    const ExitEvent event{block_, warp, mask, fell_off ? mask : 0, site};
    each([&](Observer& o) { o.on_exit(event); });
  }
  void access(AccessKind kind, uint32_t bytes, LaneMask mask, SiteId site, uint64_t first, uint64_t stride,
              uint32_t warp = 0) {
    uint64_t addresses[warp_size];
    for (uint32_t lane = 0; lane < warp_size; ++lane) addresses[lane] = first + lane * stride;
    MemoryEvent event;
    event.block = block_, event.warp = warp;
    event.mask = mask, event.site = site, event.kind = kind, event.bytes = bytes, event.address = addresses;
    each([&](Observer& o) {
      const bool wanted = (o.events() & (MemoryEvents | UnsoundEvents)) != 0 ||
                          ((o.events() & AtomicEvents) != 0 && kind == AccessKind::Atomic);
      if (wanted) o.on_memory(event);
    });
  }
  // Lanes of `mask` name `first`, or where `second` is given those beyond `first` name that.
  void warp_sync(LaneMask mask, SiteId site, LaneMask first, LaneMask second = 0) {
    WarpSyncEvent event{block_, 0, mask, site, {}, 0};
    for (uint32_t lane = 0; lane < warp_size; ++lane)
      event.wanted[lane] = second == 0 || (first >> lane & 1) != 0 ? first : second;
    each([&](Observer& o) { o.on_warp_sync(event); });
  }
  void warp_skipped(LaneMask mask, SiteId site, LaneMask wanted, LaneMask skipped) {
    WarpSyncEvent event{block_, 0, mask, site, {}, skipped};
    event.wanted.fill(wanted);
    each([&](Observer& o) { o.on_warp_sync(event); });
  }
  void inactive_use(LaneMask mask, SiteId site, SiteId shuffle, ValueUse use) {
    const InactiveUseEvent event{block_, 0, mask, site, shuffle, use};
    each([&](Observer& o) { o.on_inactive_use(event); });
  }
  void undefined_load(LaneMask mask, SiteId site, uint32_t bytes, uint64_t first, uint64_t stride) {
    uint64_t addresses[warp_size];
    for (uint32_t lane = 0; lane < warp_size; ++lane) addresses[lane] = first + lane * stride;
    const UndefinedLoadEvent event{block_, 0, mask, site, bytes, addresses};
    each([&](Observer& o) { o.on_undefined_load(event); });
  }
  void undefined_use(LaneMask mask, SiteId site, SiteId load, ValueUse use, uint32_t warp = 0) {
    const UndefinedUseEvent event{block_, warp, mask, site, load, use};
    each([&](Observer& o) { o.on_undefined_use(event); });
  }
  void mbarrier(MbarrierOp op, uint32_t lane, SiteId site, uint64_t address, uint32_t arrivals, uint32_t pending,
                uint32_t expected) {
    const bool completes = op == MbarrierOp::Arrive && arrivals != 0 && arrivals >= pending;
    const MbarrierEvent event{block_,   0, LaneMask{1} << lane, site, op, address, completes, arrivals, pending,
                              expected, 0};
    each([&](Observer& o) { o.on_mbarrier(event); });
  }
  void in_block(uint32_t x) { block_ = {x, {x, 0, 0}}; }
  void stuck(StuckEvent event) {
    each([&](Observer& o) { o.on_stuck(event); });
  }
  void fault(const FaultEvent& event) {
    each([&](Observer& o) { o.on_fault(event); });
  }
  void end() {
    each([&](Observer& o) {
      o.on_block_end(block_);
      o.on_launch_end();
    });
  }

  // "error barrier-divergent@9+14", one string for each finding.
  std::vector<std::string> heard() const {
    std::vector<std::string> out;
    for (const auto& finding : sink.findings) {
      std::string text = finding.severity == Severity::Error     ? "error "
                         : finding.severity == Severity::Warning ? "warning "
                                                                 : "note ";
      text += finding.rule;
      if (!finding.at.at.stack.empty()) text += "@" + std::to_string(finding.at.at.stack[0].line);
      for (const auto& other : finding.others) text += "+" + std::to_string(other.at.stack[0].line);
      out.push_back(text);
    }
    return out;
  }

  CollectingSink sink;
  Sites sites;
  Memory memory;

private:
  template <typename F> void each(F call) {
    for (auto& observer : observers_) call(*observer);
  }

  LaunchInfo info_;
  BlockRef block_{0, {0, 0, 0}};
  std::vector<LaneMask> exited_;
  std::map<uint32_t, std::vector<BarrierArrival>> pending_;
  std::vector<std::unique_ptr<Observer>> observers_;
};

using Heard = std::vector<std::string>;

} // namespace tollgate::checks::testing
