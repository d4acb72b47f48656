#include "synthetic.h"

#include <gtest/gtest.h>

namespace tollgate::checks::testing {

constexpr uint64_t base = 0x7000'0000'0000;

struct Objects : ::testing::Test {
  Bench bench{256};
  void SetUp() override {
    bench.memory.objects = {{AllocationInfo::Kind::Global, base, 100, "", "main.cpp:7"},
                            {AllocationInfo::Kind::Freed, base + 4096, 64, "", ""},
                            {AllocationInfo::Kind::HostMemory, base + 8192, 64, "", ""}};
  }
  const Finding& only() { return bench.sink.findings.at(0); }
};

using Bounds = Objects;

TEST_F(Bounds, InsideIsSilent) {
  bench.access(AccessKind::Load, 4, 0x1ffffff, 9, base, 4); // 25 elements
  bench.end();
  EXPECT_EQ(bench.heard(), Heard{});
}

TEST_F(Bounds, PastTheEndNamesTheLanesThatAre) {
  bench.access(AccessKind::Store, 4, all_lanes, 9, base, 4);
  bench.end();
  ASSERT_EQ(bench.heard(), Heard{"error out-of-bounds@9"});
  EXPECT_EQ(only().message, "write of 4 bytes right behind the end of a 100-byte allocation");
  EXPECT_EQ(only().at.role, "write by threads 25-31 of block (0,0,0)");
  EXPECT_EQ(only().at.object, "100-byte allocation +100");
  EXPECT_EQ(only().at.thread.thread[0], 25u);
  EXPECT_EQ(only().notes, Heard{"the object was allocated at main.cpp:7"});
}

TEST_F(Bounds, AStraddlingAccessSaysHowFar) {
  bench.memory.objects[0].size = 98;
  bench.access(AccessKind::Load, 4, 1, 9, base + 96, 4);
  EXPECT_EQ(only().message, "read of 4 bytes starts inside a 98-byte allocation and ends 2 bytes past its end");
}

TEST_F(Bounds, ANegativeIndexNamesTheObjectAbove) {
  bench.access(AccessKind::Load, 4, 1, 9, base - 4, 4);
  bench.memory.objects.push_back({AllocationInfo::Kind::Global, base - 4096, 64, "", ""});
  bench.access(AccessKind::Load, 4, 1, 10, base - 8, 4);
  ASSERT_EQ(bench.heard(), (Heard{"error out-of-bounds@9", "error out-of-bounds@10"}));
  EXPECT_EQ(only().message, "read of 4 bytes, 4 bytes before the start of a 100-byte allocation");
  EXPECT_EQ(bench.sink.findings[1].at.object, "100-byte allocation -8");
}

TEST_F(Bounds, NullPlusAnIndex) {
  bench.access(AccessKind::Load, 4, 1, 9, 40, 4);
  ASSERT_EQ(bench.heard(), Heard{"error null-pointer@9"});
  EXPECT_EQ(only().message, "read of 4 bytes through a null pointer (plus 40 bytes)");
}

TEST_F(Bounds, FreedAndHostMemory) {
  bench.access(AccessKind::Load, 4, 1, 9, base + 4096, 4);
  bench.access(AccessKind::Atomic, 4, 1, 10, base + 8192, 4);
  EXPECT_EQ(bench.heard(), (Heard{"error use-after-free@9", "error host-pointer@10"}));
}

TEST_F(Bounds, Misaligned) {
  bench.access(AccessKind::Load, 8, 1, 9, base + 4, 8);
  EXPECT_EQ(bench.heard(), Heard{"error misaligned@9"});
}

TEST_F(Bounds, RepeatsAreCountedNotRepeated) {
  for (int i = 0; i < 1000; ++i) bench.access(AccessKind::Load, 4, 1, 9, base + 100, 4);
  bench.end();
  ASSERT_EQ(bench.sink.findings.size(), 2u);
  EXPECT_EQ(bench.sink.findings[1].count, 999u);
}

TEST_F(Bounds, ThreadsAreGatheredAndEachCounts) {
  bench.access(AccessKind::Load, 4, all_lanes, 9, base + 100, 4);
  bench.access(AccessKind::Load, 4, 0xff, 9, base + 100, 4, 1);
  bench.in_block(1);
  bench.access(AccessKind::Load, 4, 0xf, 9, base + 100, 4);
  bench.end();
  ASSERT_EQ(bench.sink.findings.size(), 2u);
  EXPECT_EQ(bench.sink.findings[0].count, 32u);
  EXPECT_EQ(bench.sink.findings[1].count, 12u);
  EXPECT_TRUE(bench.sink.findings[1].revised);
  EXPECT_EQ(bench.sink.findings[1].at.role, "read by threads 0-39 of block (0,0,0) and threads of 1 more block");
}

TEST_F(Bounds, TheFaultOfAnExplainedAccessIsNotSaidTwice) {
  bench.access(AccessKind::Load, 4, 1, 9, 0, 4);
  bench.fault({{}, 0, 1, 9, 0, true});
  EXPECT_EQ(bench.heard(), Heard{"error null-pointer@9"});
}

TEST(BoundsInRun, AFaultIsExplainedWithoutHooks) {
  Bench bench(64, false, /*check=*/false);
  bench.memory.objects = {{AllocationInfo::Kind::HostMemory, 0x5555'0000'0000, 4096, "", ""}};
  bench.fault({{}, 0, 1, 9, 0x5555'0000'0010, true});
  bench.fault({{}, 0, 1, 0, 0x1234'5678'9000, false});
  EXPECT_EQ(bench.heard(), (Heard{"error host-pointer@9", "error out-of-bounds"}));
}

} // namespace tollgate::checks::testing
