// Memory that host and kernels share: managed, pinned, registered.
#include "exec/memory.h"
#include "probe.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <sys/mman.h>
#include <vector>

namespace tollgate::exec {
namespace {

using testing::host_readable;
using testing::kernel_readable;
using Kind = observe::AllocationInfo::Kind;
using To = PointerInfo::Kind;

void* pointer(uint64_t address) { return reinterpret_cast<void*>(address); }

TEST(HostMemory, ManagedMemoryHasOneAddressOnBothSides) {
  DeviceMemory memory;
  for (MemoryKind kind : {MemoryKind::Managed, MemoryKind::PinnedHost}) {
    uint64_t a = memory.allocate(10'000, kind, "");
    ASSERT_NE(a, 0u);
    std::memset(pointer(a), 3, 10'000);
    EXPECT_EQ(static_cast<uint8_t*>(memory.host_view(a + 9'999, 1))[0], 3);
    static_cast<uint8_t*>(backing(a))[5] = 8;
    EXPECT_EQ(static_cast<uint8_t*>(pointer(a))[5], 8);
    PointerInfo info = memory.pointer_info(pointer(a + 5));
    EXPECT_EQ(info.kind, kind == MemoryKind::Managed ? To::Managed : To::PinnedHost);
    EXPECT_EQ(info.device, a + 5);
    EXPECT_EQ(info.host, pointer(a + 5));
    EXPECT_EQ(info.base, a);
    EXPECT_EQ(info.size, 10'000u);
    EXPECT_TRUE(memory.release(a));
    EXPECT_FALSE(host_readable(a));
    EXPECT_FALSE(kernel_readable(a));
  }
}

TEST(HostMemory, ManagedVariable) {
  DeviceMemory memory;
  std::vector<uint8_t> init{5, 0, 0, 0};
  uint64_t v = memory.allocate_variable("counter", 4, 4, init, VariableKind::Managed);
  EXPECT_EQ(*static_cast<int*>(pointer(v)), 5);
  EXPECT_EQ(memory.lookup(v).kind, Kind::Managed);
  EXPECT_EQ(memory.lookup(v).name, "counter");
  EXPECT_EQ(memory.pointer_info(pointer(v)).kind, To::Managed);
  EXPECT_TRUE(memory.release_variable(v));
}

TEST(HostMemory, PointerInfoOfDeviceAndOrdinaryMemory) {
  DeviceMemory memory;
  uint64_t a = memory.allocate(64, MemoryKind::Device, "");
  EXPECT_EQ(memory.pointer_info(pointer(a + 63)).kind, To::Device);
  EXPECT_EQ(memory.pointer_info(pointer(a + 63)).host, nullptr);
  EXPECT_EQ(memory.pointer_info(pointer(a + 64)).kind, To::Unregistered);
  EXPECT_EQ(memory.pointer_info(&memory).kind, To::Unregistered);
  EXPECT_EQ(memory.pointer_info(nullptr).kind, To::Unregistered);
}

TEST(HostMemory, RegisteredMemoryKeepsItsContentBothWays) {
  DeviceMemory memory;
  std::vector<int> data(10'000);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<int>(i);
  uint64_t d = memory.map_host(data.data(), data.size() * sizeof(int), "main.cu:4");
  ASSERT_NE(d, 0u);
  auto* device = static_cast<int*>(memory.host_view(d, data.size() * sizeof(int)));
  ASSERT_NE(device, nullptr);
  EXPECT_EQ(device[9'999], 9'999);
  device[1] = -1;
  EXPECT_EQ(data[1], -1);
  data[2] = -2;
  EXPECT_EQ(device[2], -2);

  PointerInfo by_host = memory.pointer_info(&data[3]), by_device = memory.pointer_info(pointer(d + 12));
  EXPECT_EQ(by_host.kind, To::PinnedHost);
  EXPECT_EQ(by_host.device, d + 12);
  EXPECT_EQ(by_device.kind, To::PinnedHost);
  EXPECT_EQ(by_device.host, &data[3]);
  EXPECT_EQ(memory.lookup(d).kind, Kind::Mapped);
  EXPECT_EQ(memory.lookup(reinterpret_cast<uint64_t>(&data[3])).kind, Kind::HostMemory);
  EXPECT_EQ(memory.lookup(reinterpret_cast<uint64_t>(&data[3])).allocated_at, "main.cu:4");

  EXPECT_EQ(memory.map_host(&data[5], 4), 0u); // registered already
  EXPECT_FALSE(memory.unmap_host(&data[5]));
  EXPECT_TRUE(memory.unmap_host(data.data()));
  EXPECT_FALSE(memory.unmap_host(data.data()));
  EXPECT_EQ(data[1], -1);
  EXPECT_EQ(data[9'999], 9'999);
  EXPECT_FALSE(kernel_readable(d));
  data[0] = 77; // private again and writable
  EXPECT_EQ(memory.lookup(d).kind, Kind::Freed);
}

TEST(HostMemory, SharedPagesAreMappedTwiceRatherThanReplaced) {
  DeviceMemory memory;
  void* host = mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(host, MAP_FAILED);
  std::memset(host, 4, 8192);
  uint64_t d = memory.map_host(host, 8192);
  ASSERT_NE(d, 0u);
  EXPECT_EQ(static_cast<uint8_t*>(backing(d))[8191], 4);
  static_cast<uint8_t*>(backing(d))[0] = 6;
  EXPECT_EQ(*static_cast<uint8_t*>(host), 6);
  EXPECT_TRUE(memory.unmap_host(host));
  EXPECT_EQ(*static_cast<uint8_t*>(host), 6);

  // Two objects on one page of it: the page must stay shared with whoever else has it.
  ASSERT_NE(memory.map_host(host, 16), 0u);
  ASSERT_NE(memory.map_host(static_cast<uint8_t*>(host) + 16, 16), 0u);
  void* elsewhere = mremap(host, 0, 8192, MREMAP_MAYMOVE);
  EXPECT_TRUE(memory.unmap_host(host));
  EXPECT_TRUE(memory.unmap_host(static_cast<uint8_t*>(host) + 16));
  *static_cast<uint8_t*>(elsewhere) = 11;
  EXPECT_EQ(*static_cast<uint8_t*>(host), 11);
  munmap(elsewhere, 8192);
  munmap(host, 8192);
}

TEST(HostMemory, RegistrationsMayMeetOnAPage) {
  DeviceMemory memory;
  constexpr size_t total = 6 * kPage;
  auto* heap = static_cast<uint8_t*>(mmap(nullptr, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(heap, MAP_FAILED);
  for (size_t i = 0; i < total; ++i) heap[i] = static_cast<uint8_t>(i * 7 + i / kPage);
  const std::vector<uint8_t> before(heap, heap + total);
  struct Part {
    size_t begin, bytes;
    uint64_t device = 0;
  } parts[] = {{100, 50}, {5000, 5000}, {150, 4850}, {10'000, 2288}, {12'288, 4096}, {16'400, 8000}};
  for (Part& part : parts) {
    part.device = memory.map_host(heap + part.begin, part.bytes);
    ASSERT_NE(part.device, 0u) << part.begin;
  }
  EXPECT_EQ(memory.map_host(heap + 140, 20), 0u);
  for (size_t i = 0; i < std::size(parts); ++i) {
    for (const Part* part = parts + i; part != std::end(parts); ++part) {
      auto* view = static_cast<uint8_t*>(memory.host_view(part->device, part->bytes));
      ASSERT_NE(view, nullptr);
      EXPECT_EQ(std::memcmp(view, heap + part->begin, part->bytes), 0);
      const uint8_t old = view[part->bytes - 1];
      view[part->bytes - 1] = static_cast<uint8_t>(~old);
      EXPECT_EQ(heap[part->begin + part->bytes - 1], static_cast<uint8_t>(~old));
      heap[part->begin + part->bytes - 1] = old;
      EXPECT_EQ(view[part->bytes - 1], old);
    }
    EXPECT_TRUE(memory.unmap_host(heap + parts[i].begin));
    EXPECT_FALSE(kernel_readable(parts[i].device));
  }
  EXPECT_EQ(std::memcmp(heap, before.data(), total), 0);
  uint64_t again = memory.map_host(heap, total);
  EXPECT_NE(again, 0u);
  EXPECT_EQ(memory.pointer_info(heap).device, again);
  memory.unmap_host(heap);
  munmap(heap, total);
}

TEST(HostMemory, BadRegistrationsAreRefused) {
  auto owner = std::make_unique<DeviceMemory>(); // it is large: on the stack it would keep the frames apart
  DeviceMemory& memory = *owner;
  char on_stack[64] = {};
  uint64_t managed = memory.allocate(64, MemoryKind::Managed, "");
  EXPECT_EQ(memory.map_host(nullptr, 4096), 0u);
  EXPECT_EQ(memory.map_host(pointer(4096), 4096), 0u);
  EXPECT_EQ(memory.map_host(pointer(~uint64_t{0} - 100), 4096), 0u);
  EXPECT_EQ(memory.map_host(on_stack, ~uint64_t{0}), 0u);
  EXPECT_EQ(memory.map_host(pointer(managed), 64), 0u);
  EXPECT_EQ(memory.map_host(static_cast<char*>(__builtin_frame_address(0)) - 4 * kPage, 5 * kPage), 0u);
  EXPECT_EQ(memory.map_host(&memory, 0), 0u);
}

TEST(HostMemory, MemoryFreedBeforeItIsUnregistered) {
  DeviceMemory memory;
  void* host = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  std::memset(host, 4, 4096);
  ASSERT_NE(memory.map_host(host, 4096), 0u);
  munmap(host, 4096);
  void* other = mmap(host, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  std::memset(other, 9, 4096);
  EXPECT_TRUE(memory.unmap_host(host));
  EXPECT_EQ(*static_cast<uint8_t*>(other), 9); // somebody else's by now
  munmap(other, 4096);
}

TEST(HostMemory, DevicePointersOnTheHostAreRecognised) {
  DeviceMemory memory;
  uint64_t a = memory.allocate(64, MemoryKind::Device, "");
  EXPECT_TRUE(is_device_address(pointer(a)));
  EXPECT_FALSE(is_device_address(&memory));
  EXPECT_FALSE(is_device_address(nullptr));
}

} // namespace
} // namespace tollgate::exec
