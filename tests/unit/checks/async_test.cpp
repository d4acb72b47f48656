// race-async: who knows that a copy is complete, and what the asynchronous proxy may see.
#include "race_bench.h"

#include <gtest/gtest.h>

namespace tollgate::checks::testing {

constexpr Who a{0, 0, 0}, lane1{0, 0, 1}, warp1{0, 1, 0};
constexpr uint64_t source = global_base, tile = shared_base, bar = shared_base + 1024;

struct Copies : ::testing::Test {
  RaceBench bench;

  void tell(Who who, AsyncOp op, SiteId site, uint64_t to = 0, uint64_t from = 0, uint32_t groups = no_groups,
            uint64_t mbarrier = 0) {
    uint64_t tos[warp_size], froms[warp_size], objects[warp_size];
    uint32_t bytes[warp_size];
    std::fill_n(tos, warp_size, to);
    std::fill_n(froms, warp_size, from);
    std::fill_n(objects, warp_size, mbarrier);
    std::fill_n(bytes, warp_size, 16u);
    AsyncEvent event;
    event.block = RaceBench::ref(who.block), event.warp = who.warp, event.mask = 1u << who.lane, event.site = site;
    event.op = op, event.groups = groups;
    event.to = tos, event.from = froms, event.bytes = bytes, event.bytes_read = bytes;
    event.mbarrier = mbarrier == 0 ? nullptr : objects;
    bench.race.on_async(event);
  }
  void copy(Who who, SiteId site) { tell(who, AsyncOp::Copy, site, tile, source); }
  void commit(Who who) { tell(who, AsyncOp::Commit, 800); }
  void wait(Who who, uint32_t groups) { tell(who, AsyncOp::Wait, 801, 0, 0, groups); }
};

TEST_F(Copies, ReadBeforeTheWait) {
  copy(a, 1), commit(a);
  bench.read(a, 2, tile);
  EXPECT_EQ(bench.heard(), Heard{"error race-async 2 1"});
}

TEST_F(Copies, WaitedFor) {
  copy(a, 1), commit(a), wait(a, 0);
  bench.read(a, 2, tile + 12);
  bench.write(a, 3, source);
  EXPECT_EQ(bench.heard(), Heard{});
}

TEST_F(Copies, TheLastGroupsMayBeUnderWay) {
  copy(a, 1), commit(a);
  tell(a, AsyncOp::Copy, 2, tile + 16, source), commit(a);
  wait(a, 1);
  bench.read(a, 3, tile);
  EXPECT_EQ(bench.heard(), Heard{});
  bench.read(a, 4, tile + 16);
  EXPECT_EQ(bench.heard(), Heard{"error race-async 4 2"});
}

TEST_F(Copies, OnlyWaitAllTakesCopiesWithoutAGroup) {
  copy(a, 1), wait(a, 0);
  bench.read(a, 2, tile);
  EXPECT_EQ(bench.heard(), Heard{"error race-async 2 1"});
  wait(a, no_groups);
  bench.read(a, 3, tile);
  EXPECT_EQ(bench.heard(), Heard{"error race-async 2 1"});
}

TEST_F(Copies, OthersNeedABarrierBehindTheWait) {
  copy(a, 1), commit(a);
  bench.barrier(0);
  wait(a, 0);
  bench.read(warp1, 2, tile);
  EXPECT_EQ(bench.heard(), Heard{"error race-async 2 1"});
  bench.barrier(0);
  bench.read(warp1, 3, tile);
  EXPECT_EQ(bench.heard(), Heard{"error race-async 2 1"});
}

TEST_F(Copies, AnMbarrierTellsOfCopies) {
  copy(a, 1);
  tell(a, AsyncOp::MbarrierArrive, 2, 0, 0, 0, bar);
  bench.mbarrier(a, MbarrierOp::Arrive, bar, true);
  bench.mbarrier(warp1, MbarrierOp::Wait, bar);
  bench.read(warp1, 3, tile);
  EXPECT_EQ(bench.heard(), Heard{});
}

TEST_F(Copies, ABarrierDoesNot) {
  tell(a, AsyncOp::BulkCopy, 1, tile, source, 0, bar);
  bench.barrier(0);
  bench.read(warp1, 2, tile);
  EXPECT_EQ(bench.heard(), Heard{"error race-async 2 1"});
}

TEST_F(Copies, TheProxyFenceMayStandOnEitherSideOfTheBarrier) {
  bench.write(warp1, 1, tile);
  bench.barrier(0);
  tell(a, AsyncOp::BulkCopy, 2, source, tile);
  EXPECT_EQ(bench.heard(), Heard{"error race-async 2 1"});
  bench.write(warp1, 3, tile + 32);
  tell(warp1, AsyncOp::ProxyFence, 900);
  bench.barrier(0);
  tell(a, AsyncOp::BulkCopy, 4, source + 32, tile + 32);
  bench.write(warp1, 5, tile + 64);
  bench.barrier(0);
  tell(a, AsyncOp::ProxyFence, 901);
  tell(a, AsyncOp::BulkCopy, 6, source + 64, tile + 64);
  EXPECT_EQ(bench.heard(), Heard{"error race-async 2 1"});
}

TEST_F(Copies, ReadingTheSourceIsDoneBeforeWritingTheTarget) {
  tell(a, AsyncOp::ProxyFence, 900);
  tell(a, AsyncOp::BulkCopy, 1, source, tile), tell(a, AsyncOp::BulkCommit, 2);
  tell(a, AsyncOp::BulkWaitRead, 3, 0, 0, 0);
  bench.write(a, 4, tile);
  EXPECT_EQ(bench.heard(), Heard{});
  bench.read(a, 5, source);
  EXPECT_EQ(bench.heard(), Heard{"error race-async 5 1"});
}

} // namespace tollgate::checks::testing
