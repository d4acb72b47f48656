// All memory of the simulated device: allocations, registered host memory, module variables, parameter blocks, and
// the shared and local memory of resident blocks. Every address is a device address (address.h). Thread-safe.
// One instance per process at a time: instances would share the window.
#pragma once

#include "exec/block_memory.h"
#include "exec/mapping.h"
#include "exec/region.h"
#include "observe/observer.h"
#include "simd/warp_context.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>

namespace tollgate::exec {

enum class MemoryKind : uint8_t { Device, Managed, PinnedHost };

struct PointerInfo {
  enum class Kind : uint8_t { Unregistered, Device, Managed, PinnedHost };
  Kind kind = Kind::Unregistered;
  uint64_t device = 0;         // device address of the pointer, 0 if none
  void* host = nullptr;        // host address, nullptr if none
  uint64_t base = 0, size = 0; // of the allocation, device side
};

struct MemoryOptions {
  uint64_t total_bytes = 0;    // size of the device; 0: 8 GiB, or three quarters of the host's memory if that is less
  size_t paged_limit = 16'384; // live mappings beyond which objects of up to 1 MiB share pages
};

enum class VariableKind : uint8_t { Global, Const, Managed };

class DeviceMemory final : public observe::MemoryMap {
public:
  explicit DeviceMemory(MemoryOptions options = {});
  ~DeviceMemory() override;
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  // Device address, aligned to 256 bytes or more; 0 when out of memory or when `bytes` is 0. Managed and pinned memory
  // has the same address on the host. The content is undefined.
  uint64_t allocate(uint64_t bytes, MemoryKind kind, std::string_view host_site);
  bool release(uint64_t address); // false: not the start of a live allocation made by allocate

  // Makes host memory visible to kernels: its pages are replaced by shared ones with the same content. No other thread
  // may write to these pages meanwhile. Device address, or 0: not mapped memory, registered already, or the caller's
  // own stack frame.
  uint64_t map_host(void* host, uint64_t bytes, std::string_view host_site = {});
  bool unmap_host(void* host); // false: not the start of registered memory

  // nullptr unless [address, address + bytes) is wholly inside one live object.
  void* host_view(uint64_t address, uint64_t bytes) const;
  [[nodiscard]] PointerInfo pointer_info(const void* pointer) const;
  void usage(uint64_t& free_bytes, uint64_t& total_bytes) const;
  [[nodiscard]] std::pair<uint64_t, uint64_t> window() const override;

  // Variables of modules. The rest of a variable that `init` does not cover is zero. 0 when out of memory.
  uint64_t allocate_variable(std::string_view name, uint64_t bytes, uint64_t align, std::span<const uint8_t> init,
                             VariableKind kind);
  bool release_variable(uint64_t address);

  uint64_t allocate_params(std::span<const uint8_t> params); // a copy; an empty block is an address all the same
  void release_params(uint64_t address);

  // The shared memory of one block; 0 if there are more than kMaxSlabs, or for more than kMaxSlabBytes.
  uint64_t acquire_shared_slab(uint64_t bytes) { return slabs_.acquire(bytes); }
  void release_shared_slab(uint64_t slab) { slabs_.release(slab); }
  // The slabs of a cluster's blocks, and the end of one of these blocks (SharedSlabs).
  uint64_t acquire_cluster_slabs(unsigned blocks, uint64_t bytes) { return slabs_.acquire_cluster(blocks, bytes); }
  void set_slab_live(uint64_t slab, bool live) { slabs_.set_live(slab, live); }
  // Local memory: lane i has [base + i * stride, base + (i + 1) * stride). Take one for all warps of a block
  // (lanes = 32 * warps) rather than one per warp: each is a mapping of its own. 0 when out of memory.
  uint64_t acquire_local(uint32_t lanes, uint64_t stride);
  void release_local(uint64_t base) { locals_.release(base); }

  // Names a part of an object that has its own life, such as what a kernel got from malloc. While `within` (the
  // memory of the device heap) is live it is not an object by itself: only its parts are.
  uint64_t allocate_heap(uint64_t bytes);
  void release_heap(uint64_t base);
  void add_part(uint64_t address, uint64_t bytes, std::string_view name);
  void remove_part(uint64_t address);

  // exec/written.h. Whether bytes that no kernel wrote and no copy are defined all the same, or not to be judged: the
  // host writes managed and mapped memory behind our back, variables and parameters have values from the start.
  bool counts_as_written(uint64_t address, uint64_t bytes);
  // After a kernel that nobody watched: it may have written anything that is alive now.
  void trust_all();

  [[nodiscard]] observe::AllocationInfo lookup(uint64_t address) const override;
  [[nodiscard]] bool contains(uint64_t address, uint32_t bytes) const override {
    if (kSharedRange.contains(address)) return slabs_.contains(address, bytes);
    return contains(address, bytes, cache_[(address >> 16) % kCacheEntries]);
  }
  // The same for who asks again and again for addresses of few objects: `last` is an object found before.
  using Found = simd::KnownObject;
  [[nodiscard]] bool contains(uint64_t address, uint64_t bytes, Found& last) const {
    if (kSharedRange.contains(address)) return slabs_.contains(address, bytes);
    if (last.generation == generation_.load(std::memory_order_acquire) && address >= last.base && address < last.end)
      return bytes <= last.end - address;
    return contains_slow(address, bytes, last);
  }
  // A number that changes whenever objects come or go.
  [[nodiscard]] const std::atomic<uint64_t>& generation() const { return generation_; }
  [[nodiscard]] const void* bytes_at(uint64_t address) const override { return backing(address); }

private:
  using Kind = observe::AllocationInfo::Kind;
  enum class Owner : uint8_t { User, Variable, Params, Local, HeapPart, Registered };

  struct Object {
    uint64_t size = 0; // as asked for
    Kind kind = Kind::None;
    Owner owner = Owner::User;
    Placement placement{};
    std::string name{}, allocated_at{};
    uint64_t host = 0; // Registered: address of the first byte on the host
    Sharing sharing = Sharing::Failed;
    bool trusted = false; // taken for written
  };
  using Objects = std::map<uint64_t, Object>;
  struct Freed {
    uint64_t size = 0;
    std::string allocated_at;
  };
  static constexpr size_t kCacheEntries = 16; // few: this is static thread-local storage (registration.cpp)
  static constexpr size_t kFreedRecords = 4096;

  Region& region(const Object& object);
  Placement place(Region& region, uint64_t bytes, uint64_t align, bool may_pack);
  void add(uint64_t base, Object object);
  bool remove(uint64_t base, Owner owner);
  void note_freed(uint64_t base, const Object& object);
  void changed();
  [[nodiscard]] Objects::const_iterator find(uint64_t address) const; // containing it, or end
  [[nodiscard]] const Object* registered(uint64_t host, uint64_t& base) const;
  [[nodiscard]] const Object* registered_on(uint64_t page) const;
  [[nodiscard]] bool overlaps_registered(uint64_t first, uint64_t bytes) const;
  Sharing share(uint64_t begin, uint64_t end, uint64_t device) const;
  [[nodiscard]] bool contains_slow(uint64_t address, uint64_t bytes, Found& last) const;
  [[nodiscard]] observe::AllocationInfo lookup_object(uint64_t address) const;

  static thread_local constinit Found cache_[kCacheEntries];

  const uint64_t total_;
  const size_t paged_limit_;
  mutable std::shared_mutex mutex_;
  Region global_{kGlobalRange, false, 64 * MiB};
  Region host_visible_{kHostVisibleRange, true, 64 * MiB};
  Region variables_{kVariableRange, false, 4 * MiB};
  Region constants_{kConstRange, false, MiB};
  Region params_{kParamRange, false, MiB};
  SharedSlabs slabs_;
  LocalArenas locals_;
  Objects objects_;                      // by device address; they do not overlap
  std::map<uint64_t, uint64_t> by_host_; // registered memory: host address -> device address
  std::map<uint64_t, Placement> heaps_;
  std::map<uint64_t, Freed> freed_; // the last kFreedRecords
  std::deque<uint64_t> freed_order_;
  uint64_t used_ = 0;
  std::atomic<uint64_t> generation_; // changes with objects_; no two instances ever have the same
};

// The host touched an address that means something only to kernels.
bool is_device_address(const void* host_fault);

} // namespace tollgate::exec
