#include "synthetic.h"

#include <gtest/gtest.h>

namespace tollgate::checks::testing {

using ::testing::Test;

// if (threadIdx.x < 100) __syncthreads();   256 threads: warps 0-2 and lanes 0-3 of warp 3 wait.
void guarded_barrier(Bench& bench, bool fell_off) {
  for (uint32_t warp = 4; warp < 8; ++warp) bench.leave(warp, all_lanes, 14, fell_off);
  bench.leave(3, 0xfffffff0, 14, fell_off);
  for (uint32_t warp = 0; warp < 3; ++warp) bench.arrive(warp, all_lanes, 9);
  bench.arrive(3, 0xf, 9);
  bench.complete();
  for (uint32_t warp = 0; warp < 4; ++warp) bench.leave(warp, warp < 3 ? all_lanes : 0xf, 14, fell_off);
  bench.end();
}

TEST(BarrierDivergence, GuardedBarrierSaysWhoWaitsAndWhoWentPast) {
  Bench bench(256);
  guarded_barrier(bench, true);
  ASSERT_EQ(bench.heard(), Heard{"error barrier-divergent@9+14"});
  const Finding& finding = bench.sink.findings[0];
  EXPECT_EQ(finding.at.role, "threads 0-99 wait here");
  EXPECT_EQ(finding.others[0].role, "threads 100-255 reached the end of the kernel here without it");
  EXPECT_NE(finding.message.find("100 of the 256 threads"), std::string::npos) << finding.message;
  EXPECT_NE(finding.message.find("156 others"), std::string::npos) << finding.message;
  EXPECT_NE(finding.help.find("move the barrier"), std::string::npos);
  EXPECT_EQ(finding.kernel, "k(int*)");
}

TEST(BarrierDivergence, EarlyReturnIsAWarning) {
  Bench bench(256);
  guarded_barrier(bench, false);
  EXPECT_EQ(bench.heard(), Heard{"warning barrier-early-exit@9+14"});
}

TEST(BarrierDivergence, OptimisedCodeCannotTellAndSaysSo) {
  Bench bench(256, /*unoptimised=*/false);
  guarded_barrier(bench, true);
  ASSERT_EQ(bench.heard(), Heard{"warning barrier-early-exit@9+14"});
  EXPECT_NE(bench.sink.findings[0].notes[0].find("the source decides"), std::string::npos);
}

TEST(BarrierDivergence, UnequalTripCountsAreNamed) {
  Bench bench(64);
  bench.arrive_all(9);
  bench.complete();
  bench.leave(1, all_lanes, 14, true);
  bench.arrive(0, all_lanes, 9);
  bench.complete();
  bench.end();
  ASSERT_EQ(bench.heard(), Heard{"error barrier-divergent@9+14"});
  EXPECT_NE(bench.sink.findings[0].notes[0].find("trip counts"), std::string::npos);
}

TEST(BarrierDivergence, ManyBlocksAreCounted) {
  Bench bench(64);
  for (int i = 0; i < 5; ++i) {
    bench.leave(1, all_lanes, 14, true);
    bench.arrive(0, all_lanes, 9);
    bench.complete();
  }
  bench.end();
  ASSERT_EQ(bench.sink.findings.size(), 2u); // at once, and the rest at the end
  EXPECT_EQ(bench.sink.findings[0].count + bench.sink.findings[1].count, 5u);
}

TEST(BarrierSilent, EverybodyMeetsThenLeaves) {
  Bench bench(100); // the last warp is partial
  bench.arrive_all(9);
  bench.complete();
  bench.arrive_all(11);
  bench.complete();
  for (uint32_t warp = 0; warp < 4; ++warp) bench.leave(warp, all_lanes, 14, true);
  bench.end();
  EXPECT_EQ(bench.heard(), Heard{});
}

TEST(BarrierSilent, ExitAfterTheLastBarrierAtDifferentTimes) {
  Bench bench(64);
  bench.arrive_all(9);
  bench.complete();
  bench.leave(0, all_lanes, 14, true);
  bench.leave(1, all_lanes, 12, false);
  bench.end();
  EXPECT_EQ(bench.heard(), Heard{});
}

TEST(BarrierSilent, ProducerAndConsumerWarpsOnNamedBarriers) {
  Bench bench(128);
  bench.arrive(0, all_lanes, 20, 1, 64, BarrierKind::Arrive); // producer
  bench.arrive(1, all_lanes, 30, 1, 64);                      // consumer, another call
  bench.complete(1);
  bench.leave(0, all_lanes, 40, true); // the producer is done while the consumers still use their own barrier
  bench.arrive(1, all_lanes, 31, 2, 64);
  bench.arrive(2, all_lanes, 32, 2, 64);
  bench.complete(2);
  bench.end();
  EXPECT_EQ(bench.heard(), Heard{});
}

TEST(BarrierSilent, WholeWarpsThatReturnedEarlyAreNoError) {
  Bench bench(128);
  bench.leave(3, all_lanes, 5, false);
  for (uint32_t warp = 0; warp < 3; ++warp) bench.arrive(warp, all_lanes, 9);
  bench.complete();
  bench.end();
  for (const auto& finding : bench.sink.findings) EXPECT_NE(finding.severity, Severity::Error) << finding.message;
}

TEST(BarrierMismatch, SplitWarpIsAnError) {
  Bench bench(32);
  bench.arrive(0, 0xffff, 9);
  bench.arrive(0, 0xffff0000, 12);
  bench.complete();
  bench.end();
  ASSERT_EQ(bench.heard(), Heard{"error barrier-mismatch@9+12"});
  EXPECT_EQ(bench.sink.findings[0].others[0].role, "threads 16-31 wait here");
}

TEST(BarrierMismatch, WholeWarpsAreAWarning) {
  Bench bench(64);
  bench.arrive(0, all_lanes, 9);
  bench.arrive(1, all_lanes, 12);
  bench.complete();
  bench.end();
  EXPECT_EQ(bench.heard(), Heard{"warning barrier-mismatch@9+12"});
}

TEST(BarrierMismatch, CopiesOfOneCallAreTheSameCall) {
  Bench bench(64);
  bench.sites.lines = {{100, 9}, {101, 9}}; // unrolled twice
  bench.arrive(0, all_lanes, 100);
  bench.arrive(1, 0xff, 100);
  bench.arrive(1, 0xffffff00, 101);
  bench.complete();
  bench.end();
  EXPECT_EQ(bench.heard(), Heard{});
}

TEST(BarrierMismatch, UnalignedFormsMaySplitAWarp) {
  Bench bench(32);
  bench.arrive(0, 0xffff, 9, 0, 0, BarrierKind::Sync, false);
  bench.arrive(0, 0xffff0000, 12, 0, 0, BarrierKind::Sync, false);
  bench.complete();
  bench.end();
  EXPECT_EQ(bench.heard(), Heard{"warning barrier-mismatch@9+12"});
}

TEST(BarrierMismatch, CountsThatDiffer) {
  Bench bench(128);
  bench.arrive(0, all_lanes, 9, 3, 64);
  bench.arrive(1, all_lanes, 12, 3, 96);
  bench.end();
  ASSERT_EQ(bench.heard(), Heard{"error barrier-mismatch@9+12"});
  EXPECT_NE(bench.sink.findings[0].message.find("64 and 96"), std::string::npos);
}

TEST(BarrierMismatch, CountOfTheWholeBlockEqualsNoCount) {
  Bench bench(100);
  bench.arrive(0, all_lanes, 9, 0, 0);
  bench.arrive(1, all_lanes, 9, 0, 128);
  bench.end();
  EXPECT_EQ(bench.heard(), Heard{});
}

TEST(BarrierMismatch, ReductionMixedWithSync) {
  Bench bench(64);
  bench.arrive(0, all_lanes, 9, 0, 0, BarrierKind::RedPopc);
  bench.arrive(1, all_lanes, 12);
  bench.complete();
  bench.end();
  EXPECT_EQ(bench.heard(), Heard{"error barrier-mismatch@9+12"});
}

TEST(BarrierCount, NoMultipleOfTheWarpSize) {
  Bench bench(128);
  bench.arrive(0, all_lanes, 9, 1, 40);
  bench.end();
  EXPECT_EQ(bench.heard(), Heard{"error barrier-count@9"});
}

TEST(BarrierCount, MoreThanTheBlockHas) {
  Bench bench(100);
  bench.arrive(0, all_lanes, 9, 1, 128); // 100 rounded up to warps: fine
  bench.arrive(0, all_lanes, 10, 2, 160);
  bench.end();
  EXPECT_EQ(bench.heard(), Heard{"error barrier-count@10"});
}

TEST(BarrierCount, DanglingArriveIsANote) {
  Bench bench(64);
  bench.arrive(0, all_lanes, 9, 1, 64, BarrierKind::Arrive);
  bench.end();
  EXPECT_EQ(bench.heard(), Heard{"note barrier-count@9"});
}

TEST(Stuck, BarrierThatAsksForTooMany) {
  Bench bench(96);
  StuckEvent event;
  event.waiting = {{0, all_lanes, WaitKind::Barrier, 1, 96, 0, 9}, {1, all_lanes, WaitKind::Barrier, 1, 96, 0, 9}};
  event.exited = {0, 0, all_lanes};
  bench.stuck(event);
  ASSERT_EQ(bench.heard(), Heard{"error deadlock@9"});
  EXPECT_EQ(bench.sink.findings[0].at.role,
            "threads 0-63 wait here at barrier 1 for 96 threads, and only 64 have come");
  EXPECT_EQ(bench.sink.findings[0].notes, Heard{"threads 64-95 had left the kernel"});
}

TEST(Stuck, WarpBarrierAgainstBlockBarrierIsHeardWithoutChecks) {
  Bench bench(32, true, /*check=*/false);
  StuckEvent event;
  event.waiting = {{0, 0xff, WaitKind::WarpBarrier, 0, 0, all_lanes, 9},
                   {0, 0xffffff00, WaitKind::Barrier, 0, 0, 0, 12}};
  event.exited = {0};
  bench.stuck(event);
  ASSERT_EQ(bench.heard(), Heard{"error warp-mask@9+12"});
  EXPECT_EQ(bench.sink.findings[0].at.role, "threads 0-7 wait here with mask 0xffffffff");
}

TEST(Stuck, TheDetailsHoldEveryThreadInOrder) {
  Bench bench(72);
  StuckEvent event;
  event.waiting = {{1, 0xffff0000, WaitKind::Spin, 0, 0, 0, 20},
                   {1, 0x0000ffff, WaitKind::WarpBarrier, 0, 0, all_lanes, 12},
                   {0, 0x55555551, WaitKind::Barrier, 1, 96, 0, 9}};
  event.exited = {0xaaaaaaae, 0, all_lanes};
  bench.stuck(event);
  EXPECT_EQ(bench.sink.findings[0].details,
            (Heard{"threads 0, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28 and 30: waiting at barrier 1 for 96 "
                   "threads, a.cu:9:5",
                   "threads 1-3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29 and 31: left the kernel",
                   "threads 32-47: waiting at a warp barrier of threads 32-63, a.cu:12:5",
                   "threads 48-63: spinning, a.cu:20:5", "threads 64-71: left the kernel"}));
}

TEST(Stuck, LivelockPutsTheSpinningThreadsFirst) {
  Bench bench(64);
  StuckEvent event;
  event.livelock = true;
  event.waiting = {{0, all_lanes, WaitKind::Barrier, 0, 0, 0, 9}, {1, all_lanes, WaitKind::Spin, 0, 0, 0, 20}};
  bench.stuck(event);
  EXPECT_EQ(bench.heard(), Heard{"error livelock@20+9"});
}

} // namespace tollgate::checks::testing
