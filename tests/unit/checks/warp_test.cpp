#include "synthetic.h"

#include <gtest/gtest.h>

namespace tollgate::checks::testing {

struct Warp : ::testing::Test {
  Bench bench{64};
  const Finding& only() { return bench.sink.findings.at(0); }
};

TEST_F(Warp, EqualMasksAreSilent) {
  bench.warp_sync(all_lanes, 9, all_lanes);
  bench.warp_sync(0xffff, 9, 0xffff);
  bench.warp_sync(0xffff0000, 9, 0xffff0000);
  bench.end();
  EXPECT_EQ(bench.heard(), Heard{});
}

TEST_F(Warp, ALaneThatItsMaskDoesNotName) {
  bench.warp_sync(0xff, 9, 0x7f);
  ASSERT_EQ(bench.heard(), Heard{"error warp-mask@9"});
  EXPECT_EQ(only().message, "thread 7 of block (0,0,0) makes a warp operation without being named in the mask");
  EXPECT_EQ(only().at.role, "thread 7 calls with mask 0x0000007f");
}

TEST_F(Warp, OverlappingMasks) {
  bench.warp_sync(0xff, 9, 0xf, 0xff);
  ASSERT_EQ(bench.heard(), Heard{"error warp-mask@9"});
  EXPECT_EQ(only().notes, (Heard{"threads 0-3 give mask 0x0000000f", "threads 4-7 give mask 0x000000ff"}));
}

TEST_F(Warp, LanesThatWentPast) {
  bench.warp_skipped(0xffff, 9, all_lanes, 0xffff0000);
  ASSERT_EQ(bench.heard(), Heard{"error warp-mask@9"});
  EXPECT_EQ(only().at.role, "threads 0-15 wait here with mask 0xffffffff");
}

TEST_F(Warp, LanesThatWaitElsewhere) {
  StuckEvent event;
  event.waiting = {{0, 0xffff, WaitKind::WarpBarrier, 0, 0, all_lanes, 9},
                   {0, 0xffff0000, WaitKind::Barrier, 0, 0, 0, 12}};
  event.exited = {0, 0};
  bench.stuck(event);
  ASSERT_EQ(bench.heard(), Heard{"error warp-mask@9+12"}); // and no deadlock beside it
  EXPECT_EQ(only().others[0].role, "threads 16-31 wait here for all threads of the block");
}

TEST_F(Warp, AnInactiveSourceIsOneFindingForEachShuffle) {
  bench.inactive_use(1u << 31, 12, 9, ValueUse::Store);
  bench.inactive_use(1u << 31, 0, 9, ValueUse::Branch);
  bench.inactive_use(1u << 31, 0, 10, ValueUse::Branch);
  bench.end();
  ASSERT_EQ(bench.heard().size(), 3u); // the third is the count of the first
  EXPECT_EQ(bench.heard()[0], "error warp-inactive-source@9+12");
  EXPECT_EQ(bench.heard()[1], "error warp-inactive-source@10");
  EXPECT_EQ(only().at.role, "thread 31 gets a value that nobody gave");
}

} // namespace tollgate::checks::testing
