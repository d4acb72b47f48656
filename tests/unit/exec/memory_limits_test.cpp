// Many allocations, large ones, and several threads.
#include "exec/memory.h"
#include "probe.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace tollgate::exec {
namespace {

size_t live_mappings() {
  std::ifstream maps("/proc/self/maps");
  size_t count = 0;
  for (std::string line; std::getline(maps, line);) {
    uint64_t start = std::stoull(line, nullptr, 16);
    if (in_window(start) || in_window(start - kBias)) ++count;
  }
  return count;
}

TEST(DeviceMemoryLimits, TheDeviceHasASize) {
  DeviceMemory memory({.total_bytes = 1 << 20});
  uint64_t free_bytes = 0, total = 0;
  memory.usage(free_bytes, total);
  EXPECT_EQ(total, 1u << 20);
  EXPECT_EQ(free_bytes, total);
  uint64_t a = memory.allocate(1 << 20, MemoryKind::Device, "");
  EXPECT_NE(a, 0u);
  EXPECT_EQ(memory.allocate(1, MemoryKind::Device, ""), 0u);
  memory.usage(free_bytes, total);
  EXPECT_EQ(free_bytes, 0u);
  memory.release(a);
  EXPECT_EQ(memory.allocate((1 << 20) + 1, MemoryKind::Device, ""), 0u);
  EXPECT_EQ(memory.allocate(~uint64_t{0}, MemoryKind::Device, ""), 0u);
  EXPECT_EQ(memory.allocate(0, MemoryKind::Device, ""), 0u);
  EXPECT_NE(memory.allocate(1 << 20, MemoryKind::Device, ""), 0u);
}

TEST(DeviceMemoryLimits, DefaultSizeIsAtMostEightGiB) {
  DeviceMemory memory;
  uint64_t free_bytes = 0, total = 0;
  memory.usage(free_bytes, total);
  EXPECT_GT(total, 0u);
  EXPECT_LE(total, 8 * GiB);
}

TEST(DeviceMemoryLimits, ManyLiveAllocationsSharePages) {
  DeviceMemory memory({.total_bytes = 8 * GiB, .paged_limit = 500});
  for (MemoryKind kind : {MemoryKind::Device, MemoryKind::Managed}) {
    size_t before = live_mappings();
    std::vector<uint64_t> all;
    for (uint32_t i = 0; i < 20'000; ++i) {
      uint64_t a = memory.allocate(100 + i % 50, kind, "");
      ASSERT_NE(a, 0u);
      std::memcpy(memory.host_view(a, 4), &i, 4);
      all.push_back(a);
    }
    EXPECT_LT(live_mappings(), before + 1100);
    for (uint32_t i = 0; i < all.size(); ++i) {
      ASSERT_EQ(std::memcmp(memory.host_view(all[i], 4), &i, 4), 0);
      ASSERT_FALSE(memory.contains(all[i] + 100 + i % 50, 1));
    }
    for (uint64_t a : all) ASSERT_TRUE(memory.release(a));
    EXPECT_LT(live_mappings(), before + 5);
  }
  uint64_t free_bytes = 0, total = 0;
  memory.usage(free_bytes, total);
  EXPECT_EQ(free_bytes, total);
}

TEST(DeviceMemoryLimits, AHundredThousandShortLives) {
  DeviceMemory memory;
  for (int i = 0; i < 100'000; ++i) {
    uint64_t a = memory.allocate(4096, MemoryKind::Device, "loop.cu:5");
    ASSERT_NE(a, 0u);
    std::memset(backing(a), 1, 4);
    ASSERT_TRUE(memory.release(a));
  }
}

TEST(DeviceMemoryLimits, LargeAllocationsAreAlignedForHugePages) {
  DeviceMemory memory;
  uint64_t a = memory.allocate(64 * MiB + 5, MemoryKind::Device, "");
  ASSERT_NE(a, 0u);
  EXPECT_EQ((a + kBias) % kHugePage, 0u);
  std::memset(memory.host_view(a, 64 * MiB + 5), 7, 64 * MiB + 5);
  EXPECT_FALSE(testing::kernel_readable(a + 64 * MiB + 8192));
  EXPECT_TRUE(memory.release(a));
}

TEST(DeviceMemoryLimits, ThreadsAllocateAndLookAtTheSameTime) {
  DeviceMemory memory;
  uint64_t steady = memory.allocate(1024, MemoryKind::Device, "");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 500; ++i) {
        uint64_t a = memory.allocate(64 + t, t % 2 ? MemoryKind::Device : MemoryKind::Managed, "");
        ASSERT_TRUE(memory.contains(a, 64 + t));
        ASSERT_TRUE(memory.contains(steady + 1020, 4));
        ASSERT_FALSE(memory.contains(steady + 1021, 4));
        uint64_t slab = memory.acquire_shared_slab(1024), local = memory.acquire_local(32, 16);
        std::memset(memory.host_view(slab, 1024), t, 1024);
        ASSERT_TRUE(memory.contains(local, 32 * 16));
        memory.release_shared_slab(slab);
        memory.release_local(local);
        ASSERT_TRUE(memory.release(a));
        ASSERT_FALSE(memory.contains(a, 1));
      }
    });
  for (auto& thread : threads) thread.join();
}

TEST(DeviceMemoryLimits, ANewInstanceDoesNotTrustOldCaches) {
  uint64_t a = 0;
  {
    DeviceMemory memory;
    a = memory.allocate(64, MemoryKind::Device, "");
    EXPECT_TRUE(memory.contains(a, 64));
  }
  DeviceMemory memory;
  EXPECT_FALSE(memory.contains(a, 64));
  EXPECT_FALSE(testing::kernel_readable(a));
}

TEST(SpanAllocator, PrefersFreshAddressesThenReusesAndCoalesces) {
  SpanAllocator span(100, 100);
  EXPECT_EQ(span.take(40, 1), 100u);
  span.give(100, 40);
  EXPECT_EQ(span.take(40, 1), 140u); // not the freed ones yet
  EXPECT_EQ(span.take(30, 1), 100u); // the fresh part is too small
  EXPECT_EQ(span.take(31, 1), std::nullopt);
  span.give(140, 40);
  span.give(100, 30);
  EXPECT_EQ(span.take(80, 1), 100u); // freed neighbours became one span
  EXPECT_EQ(span.used(), 80u);
}

} // namespace
} // namespace tollgate::exec
