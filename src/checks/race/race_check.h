// race-shared, race-global, race-scope, race-async, race-same-value, warp-synchronous, missing-acquire: two conflicting
// accesses that the memory model does not order (docs/memory-model.md). Judged by happens-before; the order in which
// this run made the accesses plays no part.
#pragma once

#include "checks/race/async_copies.h"
#include "checks/race/bearings.h"
#include "checks/race/block_clocks.h"
#include "checks/race/race_report.h"
#include "checks/race/shadow.h"
#include "checks/race/sync_objects.h"

namespace tollgate::checks::race {

class RaceCheck final : public observe::Observer {
public:
  RaceCheck(observe::FindingSink& sink, const observe::MemoryMap& memory, bool ptx_model = false)
      : Observer(sink, memory), ptx_model_(ptx_model), report_(sink, ptx_model),
        shadow_(memory,
                [this](uint64_t block) { return shape_.blocks_per_cluster() == 1 && !blocks_.contains(block); }) {}

  [[nodiscard]] observe::EventSet events() const override {
    return observe::EventSet(observe::MemoryEvents | observe::BarrierEvents | observe::SyncEvents);
  }
  void on_launch(const observe::LaunchInfo& info) override;
  void on_launch_end() override;
  void on_block_begin(const observe::BlockRef& block) override { start(block.linear); }
  void on_block_end(const observe::BlockRef& block) override;
  void on_memory(const observe::MemoryEvent& event) override;
  bool on_rows(const observe::RowsAccess& rows) override;
  bool on_updates(const observe::UpdatesAccess& updates) override;
  void on_barrier_arrival(const observe::BarrierArrival& arrival) override;
  void on_barrier_completion(const observe::BarrierCompletion& completion) override;
  void on_block_barrier(const observe::BlockBarrier& barrier) override;
  void on_warp_barrier(const observe::WarpBarrierEvent& event) override;
  void on_fence(const observe::FenceEvent& event) override;
  void on_mbarrier(const observe::MbarrierEvent& event) override;
  void on_async(const observe::AsyncEvent& event) override;
  void on_cluster_barrier(const observe::ClusterBarrierEvent& event) override;
  observe::Shortcuts* shortcuts(uint64_t block) override;
  void on_device_free(uint64_t address) override;

private:
  // The last access of an instruction: all warps, and a loop between two barriers, need one record.
  using Recorded = observe::SiteRecord;
  static constexpr size_t recorded_per_block = observe::Shortcuts::site_count;
  static void note_pass(Recorded& own, uint32_t warp) { own.warps |= 1u << warp % 32; }
  struct Mbarrier {
    ClockRef arrived, completed; // of the current phase, of all before
    Access made;                 // its initialisation; time 0: not seen
    uint32_t made_lane = 0;
  };
  struct Block {
    explicit Block(BlockClocks at_first) : clocks(std::move(at_first)) {}
    BlockClocks clocks;
    std::vector<Recorded> recorded{recorded_per_block}; // by instruction
    Time began = 0;    // when the present block did: time goes on from one block in this place to the next
    AccessId past = 0; // records before this one are from before a barrier of all threads; 0: there was none
    uint64_t cluster = 0;
    AsyncCopies copies;
    observe::Shortcuts shortcuts;
    // Reads of shared memory that nobody has looked at yet (Shortcuts::reads_at). If nobody wrote there between two
    // barriers of all threads, nobody ever needs to.
    std::unique_ptr<uint64_t[]> reads;
    bool written = false;                      // shared memory, perhaps, since the last such barrier
    static constexpr size_t most_reads = 8192; // words
    [[nodiscard]] bool has_reads() const { return shortcuts.reads_at != reads.get(); }
  };
  // What the blocks of a cluster share: mbarriers, by address, and the cluster's barrier.
  struct Cluster {
    std::unordered_map<uint64_t, Mbarrier> mbarriers;
    ClockRef arrived, completed;
    uint32_t blocks = 0; // that run
  };
  // One lane's part in an instruction.
  struct Visit {
    const observe::MemoryEvent& event;
    const Access& access;
    AccessId id;
    AccessId past = 0; // Block::past
    uint64_t cluster;  // of the block
    const LaneState* state = nullptr;
    uint32_t lane = 0;
    bool again = false; // the warp has come by the instruction before
    [[nodiscard]] bool made(const Slot& slot) const { return slot.access() == id && slot.warp() == access.warp; }
  };

  Block& start(uint64_t block);
  Block& of(uint64_t block);
  Block& settled(uint64_t block); // the same, and its reads have been looked at
  void settle_reads(Block& block);
  void drop_reads(Block& block);
  void end_phase(Block& block);
  void allow_shortcuts(Block& block);
  void leave_behind(Block& block);
  Recorded& record(Block& block, const Access& access);
  void begin_records_anew();
  // The warps that have executed an instruction; none as well where another has taken its place in `recorded`.
  [[nodiscard]] static uint32_t passes(const Block& block, observe::SiteId site) {
    const Recorded& last = block.recorded[site % recorded_per_block];
    return last.site == site && last.time >= block.began ? last.warps : 0;
  }
  [[nodiscard]] static bool came_by(const Block& block, uint32_t warp, observe::SiteId site) {
    return (passes(block, site) >> warp % 32 & 1) != 0;
  }
  void look_at(const observe::MemoryEvent& event);
  [[nodiscard]] bool look_at_rows(Block& block, const observe::RowsAccess& rows);
  // The shadow, where it is simple (race_rows.cpp).
  [[nodiscard]] bool is_plain(const Block& block, observe::AccessKind kind) const;
  [[nodiscard]] bool touch_rows(const Block& block, const observe::RowsAccess& rows, const Access& access, AccessId id);
  [[nodiscard]] bool settle_word(const Block& block, uint64_t address, const Slot& fresh, const Access& access) const;
  [[nodiscard]] bool touch_row(const Block& block, const Access& access, AccessId id, uint32_t lane, uint64_t start,
                               uint64_t end, bool in_words);
  [[nodiscard]] bool settle_shared(Shadow::Page& page, uint64_t address, const Slot& fresh, const Access& access,
                                   AccessId past);
  [[nodiscard]] bool touch_plain_line(const Block& block, const observe::MemoryEvent& event, const Access& access,
                                      AccessId id);
  // The shadow (race_touch.cpp).
  void touch(const Visit& visit, const BlockClocks& clocks, LaneMask lanes);
  [[nodiscard]] bool touch_lines(Visit& visit, Bearings& known);
  [[nodiscard]] bool touch_runs(Visit& visit, Bearings& known);
  [[nodiscard]] bool touch_stretch(Visit& visit, Bearings& known, uint32_t lane, uint32_t count);
  [[nodiscard]] bool settle(const Visit& visit, Bearings& known, Cell& line, const Slot& fresh, AccessId past);
  void touch_granules(Visit& visit, Bearings& known, LaneMask lanes);
  [[nodiscard]] LaneMask touch_whole(const Visit& visit, Bearings& known, LaneMask lanes);
  [[nodiscard]] bool settle_whole(Bearings& known, Cell& cell, const Slot& fresh, AccessId past, bool weak_load);
  [[nodiscard]] LaneMask touch_updates(const Visit& visit, LaneMask lanes);
  void touch_cells(Visit& visit, Bearings& known, LaneMask lanes);
  [[nodiscard]] bool settle(Bearings& known, Cell& cell, const Slot& fresh, AccessId past);
  void touch_each(Visit visit, const BlockClocks& clocks, LaneMask lanes);
  void touch_cell(const Visit& visit, Cell& cell, uint64_t address, uint32_t bytes, AccessId past);
  void put(Cell& cell, const Slot& fresh, unsigned used, unsigned kept, unsigned loads);
  void found(const Visit& visit, const Access& earlier, const Slot& slot, uint64_t address, bool mixed_sizes);
  [[nodiscard]] bool scopes_include(const Access& a, const Access& b) const;
  [[nodiscard]] Rule judge(const Visit& visit, const Access& earlier, const Slot& slot, uint64_t address,
                           bool shared) const;
  [[nodiscard]] bool fenced_narrowly(const Access& access, uint32_t lane) const;
  [[nodiscard]] bool writes_same(const Visit& visit, const Access& earlier, const Slot& slot, uint64_t address) const;
  void note_guesses(const observe::MemoryEvent& event, const Access& access);
  void synchronise(Block& block, const observe::MemoryEvent& event, const Access& access);
  void observe_lanes(Block& block, const observe::MemoryEvent& event, const Access& access);
  [[nodiscard]] Published publishes(const BlockClocks& clocks, const Access& access, uint32_t lane) const;

  void meet_init(const Block& block, const Mbarrier& barrier, const observe::MbarrierEvent& event);
  void end_copies(const Block& block);
  void issue_copies(Block& block, const observe::AsyncEvent& event);
  void meet_copies(const Block& block, const observe::MemoryEvent& event, const Access& access);
  void meet_copy(const Block& block, const Access& access, uint32_t lane, uint64_t address, uint32_t bytes,
                 bool writes);
  void check_proxy(const Block& block, const Access& access, uint32_t lane, uint64_t address, uint32_t bytes);

  bool ptx_model_;
  RaceReport report_;
  Shadow shadow_;
  AccessRecords records_;
  SyncObjects sync_;
  std::unordered_map<uint64_t, Block> blocks_; // resident ones
  std::unordered_map<uint64_t, Cluster> clusters_;
  std::set<observe::SiteId> bulk_copies_;                             // their accesses are the asynchronous proxy's
  std::vector<std::unordered_map<uint64_t, Block>::node_type> spare_; // of blocks that are gone
  Block* current_ = nullptr;
  observe::LaunchInfo launch_;
  Launch shape_;
  uint32_t turn_ = 0;
};

} // namespace tollgate::checks::race
