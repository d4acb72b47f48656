#include "exec/memory.h"

#include "exec/written.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <mutex>
#include <unistd.h>

namespace tollgate::exec {

namespace {

constexpr uint64_t kAllocationAlign = 256; // cudaMalloc promises this much
constexpr uint64_t kPackedLimit = MiB;

// Shared by all instances: a cache entry of one never fits another.
std::atomic<uint64_t> next_generation{1};

uint64_t default_total() {
  uint64_t host = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return std::min(8 * GiB, host / 4 * 3);
}

} // namespace

thread_local constinit DeviceMemory::Found DeviceMemory::cache_[kCacheEntries];

DeviceMemory::DeviceMemory(MemoryOptions options)
    : total_(options.total_bytes ? options.total_bytes : default_total()), paged_limit_(options.paged_limit),
      generation_(next_generation++) {}

DeviceMemory::~DeviceMemory() {
  while (!by_host_.empty()) unmap_host(reinterpret_cast<void*>(by_host_.begin()->first));
}

void DeviceMemory::changed() { generation_.store(next_generation++, std::memory_order_release); }

Region& DeviceMemory::region(const Object& object) {
  switch (object.owner) {
  case Owner::Params: return params_;
  case Owner::Variable:
    return object.kind == Kind::Managed ? host_visible_ : object.kind == Kind::Const ? constants_ : variables_;
  default: return object.kind == Kind::Global ? global_ : host_visible_;
  }
}

Placement DeviceMemory::place(Region& region, uint64_t bytes, uint64_t align, bool may_pack) {
  size_t mappings = global_.mappings() + 2 * host_visible_.mappings() + variables_.mappings() + constants_.mappings();
  if (may_pack && mappings >= paged_limit_) return region.place_packed(bytes, align);
  return region.place_alone(bytes, align);
}

void DeviceMemory::add(uint64_t base, Object object) {
  used_ += object.placement.bytes;
  objects_.emplace(base, std::move(object));
  changed();
}

bool DeviceMemory::remove(uint64_t base, Owner owner) {
  std::unique_lock lock(mutex_);
  auto found = objects_.find(base);
  if (found == objects_.end() || found->second.owner != owner) return false;
  Object object = std::move(found->second);
  objects_.erase(found);
  changed();
  used_ -= object.placement.bytes;
  if (object.placement.base) region(object).remove(object.placement);
  if (owner != Owner::Params) note_freed(base, object);
  return true;
}

void DeviceMemory::note_freed(uint64_t base, const Object& object) {
  auto [record, fresh] = freed_.insert_or_assign(base, Freed{object.size, object.allocated_at});
  if (fresh) freed_order_.push_back(base);
  if (freed_order_.size() <= kFreedRecords) return;
  freed_.erase(freed_order_.front());
  freed_order_.pop_front();
}

uint64_t DeviceMemory::allocate(uint64_t bytes, MemoryKind kind, std::string_view host_site) {
  static constexpr Kind kinds[] = {Kind::Global, Kind::Managed, Kind::Mapped};
  Object object{.size = bytes, .kind = kinds[static_cast<size_t>(kind)], .allocated_at = std::string(host_site)};
  std::unique_lock lock(mutex_);
  if (bytes == 0 || bytes > total_ || round_up(bytes, kAllocationAlign) > total_ - std::min(used_, total_)) return 0;
  object.placement = place(region(object), bytes, kAllocationAlign, bytes <= kPackedLimit);
  uint64_t base = object.placement.base;
  if (base) {
    forget_written(base, bytes);
    add(base, std::move(object));
  }
  return base;
}

bool DeviceMemory::release(uint64_t address) { return remove(address, Owner::User); }

uint64_t DeviceMemory::allocate_variable(std::string_view name, uint64_t bytes, uint64_t align,
                                         std::span<const uint8_t> init, VariableKind kind) {
  static constexpr Kind kinds[] = {Kind::ModuleVariable, Kind::Const, Kind::Managed};
  constexpr uint64_t redzone = 64; // between small variables, which share pages: modules have many short strings
  Object object{
      .size = bytes, .kind = kinds[static_cast<size_t>(kind)], .owner = Owner::Variable, .name = std::string(name)};
  std::unique_lock lock(mutex_);
  if (init.size() > bytes || bytes > total_) return 0;
  align = std::max<uint64_t>(align, 16);
  bool small = bytes < kPage / 4 && kind != VariableKind::Managed;
  object.placement = small ? region(object).place_packed(bytes + redzone, align)
                           : place(region(object), std::max<uint64_t>(bytes, 1), align, bytes <= kPackedLimit);
  uint64_t base = object.placement.base;
  if (!base) return 0;
  std::memset(backing(base), 0, bytes);
  if (!init.empty()) std::memcpy(backing(base), init.data(), init.size());
  add(base, std::move(object));
  return base;
}

bool DeviceMemory::release_variable(uint64_t address) { return remove(address, Owner::Variable); }

uint64_t DeviceMemory::allocate_params(std::span<const uint8_t> params) {
  Object object{.size = params.size(), .kind = Kind::Param, .owner = Owner::Params};
  std::unique_lock lock(mutex_);
  object.placement = params_.place_packed(params.size() + kAllocationAlign, kAllocationAlign);
  uint64_t base = object.placement.base;
  if (!base) return 0;
  if (!params.empty()) std::memcpy(backing(base), params.data(), params.size());
  add(base, std::move(object));
  return base;
}

void DeviceMemory::release_params(uint64_t address) { remove(address, Owner::Params); }

uint64_t DeviceMemory::acquire_local(uint32_t lanes, uint64_t stride) {
  LocalArenas::Arena arena = locals_.acquire(lanes * stride);
  if (arena.changed) {
    std::unique_lock lock(mutex_);
    objects_.erase(arena.base);
    add(arena.base, Object{.size = lanes * stride, .kind = Kind::Local, .owner = Owner::Local});
  }
  return arena.base;
}

uint64_t DeviceMemory::allocate_heap(uint64_t bytes) {
  std::unique_lock lock(mutex_);
  Placement placement = global_.place_alone(bytes, kPage);
  if (!placement.base) return 0;
  heaps_.emplace(placement.base, placement);
  used_ += placement.bytes;
  return placement.base;
}

void DeviceMemory::release_heap(uint64_t base) {
  std::unique_lock lock(mutex_);
  auto heap = heaps_.find(base);
  if (heap == heaps_.end()) return;
  objects_.erase(objects_.lower_bound(base), objects_.lower_bound(base + heap->second.bytes));
  changed();
  used_ -= heap->second.bytes;
  global_.remove(heap->second);
  heaps_.erase(heap);
}

void DeviceMemory::add_part(uint64_t address, uint64_t bytes, std::string_view name) {
  std::unique_lock lock(mutex_);
  forget_written(address, bytes);
  add(address, Object{.size = bytes, .kind = Kind::Global, .owner = Owner::HeapPart, .name = std::string(name)});
}

void DeviceMemory::remove_part(uint64_t address) { remove(address, Owner::HeapPart); }

void DeviceMemory::usage(uint64_t& free_bytes, uint64_t& total_bytes) const {
  std::shared_lock lock(mutex_);
  total_bytes = total_;
  free_bytes = total_ - std::min(used_, total_);
}

} // namespace tollgate::exec
