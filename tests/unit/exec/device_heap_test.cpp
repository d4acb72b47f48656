#include "exec/device_heap.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <thread>
#include <vector>

namespace tollgate::exec {
namespace {

using Kind = observe::AllocationInfo::Kind;

TEST(DeviceHeap, HandsOutAlignedUsableObjects) {
  DeviceMemory memory;
  DeviceHeap heap(memory);
  EXPECT_EQ(heap.size(), 8 * MiB);
  uint64_t a = heap.allocate(10), b = heap.allocate(17);
  ASSERT_NE(a, 0u);
  EXPECT_EQ(a % 16, 0u);
  EXPECT_EQ(b % 16, 0u);
  EXPECT_GE(b, a + 16);
  std::memset(memory.host_view(b, 17), 1, 17);
  EXPECT_EQ(memory.lookup(a + 9).kind, Kind::Global);
  EXPECT_EQ(memory.lookup(a + 9).size, 10u);
  EXPECT_FALSE(memory.contains(a, 11));
  EXPECT_TRUE(heap.release(a));
  EXPECT_EQ(memory.lookup(a).kind, Kind::Freed);
  EXPECT_TRUE(memory.contains(b, 17));
}

TEST(DeviceHeap, IsFullAtItsSizeAndRecovers) {
  DeviceMemory memory;
  DeviceHeap heap(memory, 64 * KiB);
  std::vector<uint64_t> all;
  while (uint64_t a = heap.allocate(1024)) all.push_back(a);
  EXPECT_EQ(all.size(), 64u);
  EXPECT_EQ(heap.allocate(16), 0u);
  EXPECT_EQ(heap.allocate(0), 0u);
  EXPECT_EQ(heap.allocate(~uint64_t{0}), 0u);
  for (uint64_t a : all) EXPECT_TRUE(heap.release(a));
  EXPECT_NE(heap.allocate(64 * KiB), 0u);
}

TEST(DeviceHeap, BadFreesAreIgnored) {
  DeviceMemory memory;
  DeviceHeap heap(memory);
  uint64_t a = heap.allocate(64), other = memory.allocate(64, MemoryKind::Device, "");
  EXPECT_TRUE(heap.release(0));
  EXPECT_FALSE(heap.release(a + 16));
  EXPECT_FALSE(heap.release(other));
  EXPECT_TRUE(heap.release(a));
  EXPECT_FALSE(heap.release(a));
  EXPECT_TRUE(memory.contains(other, 64));
}

TEST(DeviceHeap, SizeCanBeSetUntilTheFirstAllocation) {
  DeviceMemory memory;
  DeviceHeap heap(memory);
  EXPECT_TRUE(heap.resize(MiB));
  EXPECT_EQ(heap.allocate(2 * MiB), 0u);
  EXPECT_NE(heap.allocate(16), 0u);
  EXPECT_FALSE(heap.resize(2 * MiB));
  EXPECT_EQ(heap.size(), MiB);
}

TEST(DeviceHeap, ThreadsGetDistinctObjects) {
  DeviceMemory memory;
  DeviceHeap heap(memory);
  std::vector<std::vector<uint64_t>> got(4);
  std::vector<std::thread> threads;
  for (auto& mine : got)
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        mine.push_back(heap.allocate(32));
        if (i % 3 == 0) {
          heap.release(mine.back());
          mine.pop_back();
        }
      }
    });
  for (auto& thread : threads) thread.join();
  std::set<uint64_t> distinct;
  size_t count = 0;
  for (auto& mine : got) {
    distinct.insert(mine.begin(), mine.end());
    count += mine.size();
  }
  EXPECT_EQ(distinct.size(), count);
  EXPECT_FALSE(distinct.contains(0));
}

} // namespace
} // namespace tollgate::exec
