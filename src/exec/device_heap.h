// malloc and free of kernels. CUDA C++ Programming Guide, "Dynamic Global Memory Allocation and Operations".
#pragma once

#include "exec/memory.h"
#include "exec/span_allocator.h"

#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace tollgate::exec {

// Thread-safe. It never touches the memory it hands out. The DeviceMemory must outlive it.
class DeviceHeap {
public:
  static constexpr uint64_t default_bytes = 8 * MiB;

  explicit DeviceHeap(DeviceMemory& memory, uint64_t bytes = default_bytes) : memory_(memory), bytes_(bytes) {}
  DeviceHeap(const DeviceHeap&) = delete;
  DeviceHeap& operator=(const DeviceHeap&) = delete;
  ~DeviceHeap();

  uint64_t allocate(uint64_t bytes); // aligned to 16; 0 when full or for no bytes, as malloc's null
  bool release(uint64_t address);    // false, and nothing happens, unless the address is live or null
  bool resize(uint64_t bytes);       // cudaLimitMallocHeapSize; false once a kernel has allocated
  [[nodiscard]] uint64_t size() const;

private:
  bool map();

  DeviceMemory& memory_;
  mutable std::mutex mutex_;
  uint64_t bytes_;
  uint64_t base_ = 0; // mapped by the first allocation
  std::optional<SpanAllocator> span_;
  std::unordered_map<uint64_t, uint64_t> live_; // address -> bytes taken
};

} // namespace tollgate::exec
