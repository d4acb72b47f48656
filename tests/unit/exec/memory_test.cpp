#include "exec/memory.h"
#include "probe.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

namespace tollgate::exec {
namespace {

using observe::AllocationInfo;
using testing::host_readable;
using testing::kernel_readable;
using Kind = AllocationInfo::Kind;

uint8_t* bytes_at(DeviceMemory& memory, uint64_t address, uint64_t size) {
  return static_cast<uint8_t*>(memory.host_view(address, size));
}

TEST(DeviceMemory, AllocationIsWritableAlignedAndInvisibleToTheHost) {
  DeviceMemory memory;
  uint64_t a = memory.allocate(1000, MemoryKind::Device, "main.cu:7");
  ASSERT_NE(a, 0u);
  EXPECT_EQ(a % 256, 0u);
  std::memset(memory.host_view(a, 1000), 0x5a, 1000);
  EXPECT_EQ(bytes_at(memory, a + 999, 1)[0], 0x5a);
  EXPECT_TRUE(kernel_readable(a));
  EXPECT_FALSE(host_readable(a));
}

TEST(DeviceMemory, HostViewStaysInsideOneObject) {
  DeviceMemory memory;
  uint64_t a = memory.allocate(1000, MemoryKind::Device, "");
  EXPECT_NE(memory.host_view(a, 1000), nullptr);
  EXPECT_EQ(memory.host_view(a, 1001), nullptr);
  EXPECT_EQ(memory.host_view(a + 999, 2), nullptr);
  EXPECT_EQ(memory.host_view(a - 1, 1), nullptr);
  EXPECT_EQ(memory.host_view(0, 1), nullptr);
  EXPECT_EQ(memory.host_view(a, ~uint64_t{0}), nullptr);
}

TEST(DeviceMemory, ContainsIsExactToTheByteAndFollowsChanges) {
  DeviceMemory memory;
  uint64_t a = memory.allocate(12, MemoryKind::Device, "");
  EXPECT_TRUE(memory.contains(a + 8, 4));
  EXPECT_FALSE(memory.contains(a + 9, 4));
  EXPECT_FALSE(memory.contains(a + 12, 1));
  EXPECT_FALSE(memory.contains(a - 1, 4));
  EXPECT_TRUE(memory.contains(a, 4));
  memory.release(a);
  EXPECT_FALSE(memory.contains(a, 4)); // the cache must not remember it
}

TEST(DeviceMemory, AccessesBesideAnAllocationFault) {
  DeviceMemory memory;
  uint64_t a = memory.allocate(4096, MemoryKind::Device, "");
  uint64_t b = memory.allocate(4096, MemoryKind::Device, "");
  EXPECT_FALSE(kernel_readable(a + 4096));
  EXPECT_FALSE(kernel_readable(b - 1));
  EXPECT_FALSE(kernel_readable(0));
  EXPECT_FALSE(kernel_readable(0xffff'fff8));
  int on_stack = 0;
  EXPECT_FALSE(kernel_readable(reinterpret_cast<uint64_t>(&on_stack)));
  EXPECT_FALSE(kernel_readable(reinterpret_cast<uint64_t>(&bytes_at)));
  EXPECT_FALSE(kernel_readable(reinterpret_cast<uint64_t>(std::make_unique<int>(1).get())));
}

TEST(DeviceMemory, FreedMemoryFaultsIsRememberedAndNotReused) {
  DeviceMemory memory;
  uint64_t a = memory.allocate(100, MemoryKind::Device, "main.cu:3");
  EXPECT_TRUE(memory.release(a));
  EXPECT_FALSE(memory.release(a));
  EXPECT_FALSE(kernel_readable(a));
  for (int i = 0; i < 1000; ++i) {
    uint64_t b = memory.allocate(100, MemoryKind::Device, "");
    EXPECT_NE(b, a);
    memory.release(b);
  }
  AllocationInfo info = memory.lookup(a + 50);
  EXPECT_EQ(info.kind, Kind::Freed);
  EXPECT_EQ(info.base, a);
  EXPECT_EQ(info.size, 100u);
  EXPECT_EQ(info.allocated_at, "main.cu:3");
}

TEST(DeviceMemory, ReleaseWantsTheStartOfAnAllocation) {
  DeviceMemory memory;
  uint64_t a = memory.allocate(4096, MemoryKind::Device, "");
  uint64_t variable = memory.allocate_variable("v", 64, 4, {}, VariableKind::Global);
  EXPECT_FALSE(memory.release(a + 256));
  EXPECT_FALSE(memory.release(0));
  EXPECT_FALSE(memory.release(variable));
  EXPECT_TRUE(memory.release(a));
}

TEST(DeviceMemory, LookupNamesTheObjectOrTheNearestBelow) {
  DeviceMemory memory;
  EXPECT_EQ(memory.lookup(kGlobalRange.begin).kind, Kind::None);
  uint64_t a = memory.allocate(100, MemoryKind::Device, "main.cu:9");
  for (uint64_t offset : {0, 99, 100, 5000}) {
    AllocationInfo info = memory.lookup(a + offset);
    EXPECT_EQ(info.kind, Kind::Global);
    EXPECT_EQ(info.base, a);
    EXPECT_EQ(info.size, 100u);
    EXPECT_EQ(info.allocated_at, "main.cu:9");
  }
}

TEST(DeviceMemory, LookupKnowsHostPointers) {
  DeviceMemory memory;
  auto number = std::make_unique<int>(1);
  EXPECT_EQ(memory.lookup(reinterpret_cast<uint64_t>(number.get())).kind, Kind::HostMemory);
  EXPECT_EQ(memory.lookup(8).kind, Kind::None);
  EXPECT_EQ(memory.lookup(~uint64_t{7}).kind, Kind::None);
}

TEST(DeviceMemory, VariablesHoldTheirInitialiser) {
  DeviceMemory memory;
  std::vector<uint8_t> init{1, 2, 3};
  uint64_t v = memory.allocate_variable("table", 8, 64, init, VariableKind::Global);
  uint64_t c = memory.allocate_variable("limits", 8192, 4, {}, VariableKind::Const);
  ASSERT_NE(v, 0u);
  EXPECT_EQ(v % 64, 0u);
  uint8_t* bytes = bytes_at(memory, v, 8);
  EXPECT_EQ(std::vector<uint8_t>(bytes, bytes + 8), (std::vector<uint8_t>{1, 2, 3, 0, 0, 0, 0, 0}));
  EXPECT_EQ(memory.lookup(v).kind, Kind::ModuleVariable);
  EXPECT_EQ(memory.lookup(v).name, "table");
  EXPECT_EQ(memory.lookup(c + 8191).kind, Kind::Const);
  EXPECT_FALSE(memory.contains(v + 8, 1));
  EXPECT_TRUE(memory.release_variable(v));
  EXPECT_FALSE(memory.contains(v, 1));
  EXPECT_EQ(memory.allocate_variable("bad", 2, 1, init, VariableKind::Global), 0u);
}

TEST(DeviceMemory, ReusedVariableMemoryIsZeroedAgain) {
  DeviceMemory memory;
  std::vector<uint8_t> ones(4, 1);
  for (int i = 0; i < 100'000; ++i) { // enough to wrap around a chunk
    uint64_t v = memory.allocate_variable("v", 8, 4, ones, VariableKind::Global);
    ASSERT_NE(v, 0u);
    uint8_t* bytes = bytes_at(memory, v, 8);
    ASSERT_EQ(bytes[0] + bytes[4], 1);
    bytes[4] = 9;
    memory.release_variable(v);
  }
}

TEST(DeviceMemory, ParameterBlocksAreCopies) {
  DeviceMemory memory;
  std::vector<uint8_t> params{9, 8, 7, 6};
  uint64_t p = memory.allocate_params(params);
  uint64_t none = memory.allocate_params({});
  ASSERT_NE(p, 0u);
  EXPECT_NE(none, 0u);
  EXPECT_NE(none, p);
  EXPECT_EQ(std::memcmp(memory.host_view(p, 4), params.data(), 4), 0);
  EXPECT_EQ(memory.lookup(p).kind, Kind::Param);
  EXPECT_FALSE(memory.contains(p, 5));
  memory.release_params(p);
  memory.release_params(none);
  EXPECT_FALSE(memory.contains(p, 1));
}

TEST(DeviceMemory, SharedSlabsStartAtFourGiBAndEndWhereAsked) {
  DeviceMemory memory;
  uint64_t a = memory.acquire_shared_slab(5000), b = memory.acquire_shared_slab(100);
  ASSERT_NE(a, 0u);
  ASSERT_NE(b, 0u);
  EXPECT_EQ(a % kSlabSpacing, 0u);
  EXPECT_EQ(b % kSlabSpacing, 0u);
  EXPECT_TRUE(memory.contains(a + 4996, 4));
  EXPECT_FALSE(memory.contains(a + 4997, 4));
  EXPECT_FALSE(kernel_readable(a + 8192));
  EXPECT_FALSE(kernel_readable(a + 0xffff'ffff));
  EXPECT_EQ(memory.lookup(a + 6000).kind, Kind::Shared);
  EXPECT_EQ(memory.lookup(a + 6000).size, 5000u);
  memory.release_shared_slab(a);
  EXPECT_FALSE(memory.contains(a, 1));
  EXPECT_EQ(memory.lookup(a).kind, Kind::None);
  uint64_t c = memory.acquire_shared_slab(100'000); // recycled at another size
  EXPECT_EQ(c, a);
  std::memset(memory.host_view(c, 100'000), 1, 100'000);
  memory.release_shared_slab(c);
  EXPECT_EQ(memory.acquire_shared_slab(64), a);
  EXPECT_FALSE(kernel_readable(a + 4096));
}

TEST(DeviceMemory, SlabsOfAClusterShareFourGiB) {
  DeviceMemory memory;
  const uint64_t first = memory.acquire_cluster_slabs(16, 5000);
  ASSERT_NE(first, 0u);
  EXPECT_EQ(first % kSlabSpacing, kSharedWindow);
  for (uint64_t rank = 0; rank < 16; ++rank) {
    const uint64_t slab = first + 2 * rank * kSharedWindow;
    EXPECT_EQ(slab / kSlabSpacing, first / kSlabSpacing);
    EXPECT_TRUE(memory.contains(slab + 4996, 4)) << rank;
    EXPECT_FALSE(memory.contains(slab + 4997, 4));
    EXPECT_FALSE(memory.contains(slab - 4, 4));
    EXPECT_EQ(memory.lookup(slab + 10).base, slab);
    EXPECT_TRUE(kernel_readable(slab));
    EXPECT_FALSE(kernel_readable(slab + 8192));
    EXPECT_FALSE(kernel_readable(slab + kSharedWindow)); // an address of another block as an offset
  }
  const uint64_t alone = memory.acquire_shared_slab(64);
  EXPECT_NE(alone / kSlabSpacing, first / kSlabSpacing);
  memory.release_shared_slab(first);
  EXPECT_EQ(memory.lookup(first).kind, Kind::None);
  EXPECT_EQ(memory.acquire_shared_slab(64) / kSlabSpacing, first / kSlabSpacing); // recycled, of another shape
}

TEST(DeviceMemory, TheSlabOfABlockThatLeftFaults) {
  DeviceMemory memory;
  const uint64_t first = memory.acquire_cluster_slabs(2, 5000), second = first + 2 * kSharedWindow;
  memory.set_slab_live(second, false);
  EXPECT_FALSE(memory.contains(second, 4));
  EXPECT_FALSE(kernel_readable(second));
  EXPECT_EQ(memory.lookup(second + 4).kind, Kind::LeftShared);
  EXPECT_TRUE(memory.contains(first, 4));
  memory.set_slab_live(second, true);
  EXPECT_TRUE(memory.contains(second, 4));
  EXPECT_TRUE(kernel_readable(second));
  memory.set_slab_live(second, false);
  memory.release_shared_slab(first);
  EXPECT_EQ(memory.acquire_cluster_slabs(2, 5000), first);
  EXPECT_TRUE(kernel_readable(second));
}

TEST(DeviceMemory, AllSlabsCanBeTakenAndNoMore) {
  DeviceMemory memory;
  for (unsigned i = 0; i < kMaxSlabs; ++i) ASSERT_NE(memory.acquire_shared_slab(kMaxSlabBytes), 0u) << i;
  EXPECT_EQ(memory.acquire_shared_slab(16), 0u);
  memory.release_shared_slab(kSharedRange.begin);
  EXPECT_EQ(memory.acquire_shared_slab(kMaxSlabBytes + 1), 0u);
  EXPECT_EQ(memory.acquire_shared_slab(16), kSharedRange.begin);
}

TEST(DeviceMemory, LocalArenasAreGuardedAndRecycled) {
  DeviceMemory memory;
  uint64_t a = memory.acquire_local(32, 48), b = memory.acquire_local(32, 48);
  ASSERT_NE(a, 0u);
  ASSERT_NE(a, b);
  std::memset(memory.host_view(a, 32 * 48), 1, 32 * 48);
  EXPECT_EQ(memory.lookup(a + 100).kind, Kind::Local);
  EXPECT_FALSE(kernel_readable(a + 4096));
  memory.release_local(a);
  EXPECT_EQ(memory.acquire_local(32, 48), a);
  EXPECT_NE(memory.acquire_local(64, 64 * 1024), 0u);
  EXPECT_FALSE(memory.contains(a + 32 * 48, 1));
  memory.release_local(a);
  EXPECT_EQ(memory.acquire_local(32, 64), a); // recycled at another size
  EXPECT_TRUE(memory.contains(a + 32 * 64 - 4, 4));
  EXPECT_FALSE(memory.contains(a + 32 * 64, 1));
}

TEST(DeviceMemory, PartsOfTheDeviceHeapAreObjects) {
  DeviceMemory memory;
  uint64_t heap = memory.allocate_heap(1 << 20);
  ASSERT_NE(heap, 0u);
  EXPECT_FALSE(memory.contains(heap, 1));
  memory.add_part(heap + 64, 10, "malloc");
  EXPECT_TRUE(memory.contains(heap + 64, 10));
  EXPECT_FALSE(memory.contains(heap + 64, 11));
  EXPECT_EQ(memory.lookup(heap + 64).name, "malloc");
  EXPECT_FALSE(memory.release(heap + 64));
  memory.remove_part(heap + 64);
  EXPECT_EQ(memory.lookup(heap + 64).kind, Kind::Freed);
  memory.add_part(heap + 128, 10, "malloc");
  memory.release_heap(heap);
  EXPECT_FALSE(memory.contains(heap + 128, 1));
}

} // namespace
} // namespace tollgate::exec
