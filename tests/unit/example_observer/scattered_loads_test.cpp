#include "scattered_loads.h"

#include <gtest/gtest.h>

namespace {

using namespace tollgate::observe;

struct Sink final : FindingSink {
  std::vector<Finding> findings;
  void report(Finding finding) override { findings.push_back(std::move(finding)); }
};

// Everything below 1 MiB is one allocation.
struct OneAllocation final : MemoryMap {
  AllocationInfo lookup(uint64_t address) const override {
    AllocationInfo info;
    if (contains(address, 1)) info.kind = AllocationInfo::Kind::Global, info.size = 1 << 20;
    return info;
  }
  bool contains(uint64_t address, uint32_t bytes) const override { return address + bytes <= 1 << 20; }
};

class ScatteredLoadsTest : public testing::Test {
protected:
  void load(uint64_t stride, SiteId site, AccessKind kind = AccessKind::Load) {
    uint64_t address[32];
    for (uint64_t lane = 0; lane < 32; ++lane) address[lane] = lane * stride;
    MemoryEvent event;
    event.mask = ~LaneMask{0};
    event.site = site;
    event.kind = kind;
    event.bytes = 4;
    event.address = address;
    checker_.on_memory(event);
  }

  Sink sink_;
  OneAllocation memory_;
  ScatteredLoads checker_{sink_, memory_};
};

TEST_F(ScatteredLoadsTest, NeighbouringElementsAreSilent) {
  load(4, 1);
  load(0, 2);
  EXPECT_TRUE(sink_.findings.empty());
}

TEST_F(ScatteredLoadsTest, AStrideIsReportedOnceForEachPlace) {
  load(512, 1);
  load(512, 1);
  load(512, 2);
  ASSERT_EQ(sink_.findings.size(), 2u);
  EXPECT_EQ(sink_.findings[0].rule, "scattered-load");
  EXPECT_EQ(sink_.findings[0].message, "one load of a warp touches 32 lines of 128 bytes");
}

TEST_F(ScatteredLoadsTest, StoresAreNotItsBusiness) {
  load(512, 1, AccessKind::Store);
  EXPECT_TRUE(sink_.findings.empty());
}

TEST_F(ScatteredLoadsTest, AsksForMemoryEventsOnly) { EXPECT_EQ(checker_.events(), MemoryEvents); }

} // namespace
