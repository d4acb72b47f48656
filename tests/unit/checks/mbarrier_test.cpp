#include "synthetic.h"

#include <gtest/gtest.h>

namespace tollgate::checks::testing {

constexpr uint64_t object = 0x7000'0000'0000;

struct Mbarrier : ::testing::Test {
  Bench bench{64};
  void SetUp() override { bench.memory.objects = {{AllocationInfo::Kind::Shared, object, 64, "", ""}}; }
  void make(SiteId site, uint32_t count) { bench.mbarrier(MbarrierOp::Init, 0, site, object, 0, 0, count); }
  void arrive(uint32_t lane, SiteId site, uint32_t pending, uint32_t expected) {
    bench.mbarrier(MbarrierOp::Arrive, lane, site, object, 1, pending, expected);
  }
  void wait(uint32_t lane, SiteId site) { bench.mbarrier(MbarrierOp::Wait, lane, site, object, 0, 2, 2); }
};

TEST_F(Mbarrier, APhaseAfterAnotherIsSilent) {
  make(5, 2);
  bench.arrive(0, ~LaneMask{0}, 4); // the other lanes learn of it
  bench.complete();
  for (int phase = 0; phase < 3; ++phase) {
    arrive(0, 6, 2, 2);
    arrive(1, 6, 1, 2);
    wait(0, 7);
    wait(1, 7);
  }
  bench.end();
  EXPECT_EQ(bench.heard(), Heard{});
}

TEST_F(Mbarrier, UsedBeforeItIsMade) {
  arrive(0, 6, 0, 0);
  EXPECT_EQ(bench.heard(), Heard{"error mbarrier-misuse@6"});
}

TEST_F(Mbarrier, MadeTwice) {
  make(5, 2);
  make(8, 2);
  EXPECT_EQ(bench.heard(), Heard{"error mbarrier-misuse@8+5"});
}

TEST_F(Mbarrier, MadeForNobody) {
  make(5, 0);
  EXPECT_EQ(bench.heard(), Heard{"error mbarrier-misuse@5"});
}

TEST_F(Mbarrier, MoreArrivalsThanPending) {
  make(5, 2);
  bench.mbarrier(MbarrierOp::Arrive, 0, 6, object, 3, 2, 2);
  EXPECT_EQ(bench.heard(), Heard{"error mbarrier-misuse@6+5"});
}

TEST_F(Mbarrier, AWaitForThePhaseBefore) {
  make(5, 2);
  arrive(0, 6, 2, 2);
  wait(0, 7); // phase -1, complete from the start: it waited with the wrong parity
  EXPECT_EQ(bench.heard(), Heard{"error mbarrier-misuse@7"});
}

TEST_F(Mbarrier, AWaitWithoutEnd) {
  make(5, 2);
  arrive(0, 6, 2, 2);
  StuckEvent event;
  event.livelock = true;
  event.waiting = {{0, 1, WaitKind::Mbarrier, 0, 0, 0, 7, object}};
  event.exited = {0, 0};
  bench.stuck(event);
  ASSERT_EQ(bench.heard(), Heard{"error mbarrier-misuse@7+5"}); // and no livelock beside it
  EXPECT_EQ(bench.sink.findings[0].at.role, "thread 0 waits here");
}

} // namespace tollgate::checks::testing
