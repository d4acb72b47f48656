// What lies at a device address.
#include "exec/address.h"
#include "exec/memory.h"
#include "exec/written.h"

#include <iterator>
#include <mutex>

namespace tollgate::exec {

std::pair<uint64_t, uint64_t> DeviceMemory::window() const { return {kWindow, kWindowEnd}; }

using observe::AllocationInfo;

DeviceMemory::Objects::const_iterator DeviceMemory::find(uint64_t address) const {
  auto next = objects_.upper_bound(address);
  if (next == objects_.begin()) return objects_.end();
  auto below = std::prev(next);
  return address - below->first < below->second.size ? below : objects_.end();
}

bool DeviceMemory::contains_slow(uint64_t address, uint64_t bytes, Found& last) const {
  std::shared_lock lock(mutex_);
  auto found = find(address);
  if (found == objects_.end()) return false;
  uint64_t end = found->first + found->second.size;
  last = {generation_.load(std::memory_order_relaxed), found->first, end};
  return bytes <= end - address;
}

AllocationInfo DeviceMemory::lookup(uint64_t address) const {
  if (kSharedRange.contains(address)) {
    const SharedSlabs::Slab slab = slabs_.at(address);
    if (slab.size == 0) return {};
    return {slab.live ? AllocationInfo::Kind::Shared : AllocationInfo::Kind::LeftShared, slab.base, slab.size, {}, {}};
  }
  if (in_window(address)) return lookup_object(address);
  AllocationInfo info;
  {
    std::shared_lock lock(mutex_);
    uint64_t base = 0;
    if (const Object* object = registered(address, base)) {
      info.base = object->host;
      info.size = object->size;
      info.allocated_at = object->allocated_at;
    }
  }
  if (info.size || host_mapped(address)) info.kind = AllocationInfo::Kind::HostMemory;
  return info;
}

AllocationInfo DeviceMemory::lookup_object(uint64_t address) const {
  std::shared_lock lock(mutex_);
  auto next = objects_.upper_bound(address);
  const bool any = next != objects_.begin();
  auto below = any ? std::prev(next) : next;
  if (!any || address - below->first >= below->second.size) {
    auto freed = freed_.upper_bound(address);
    if (freed != freed_.begin() && address - std::prev(freed)->first < std::prev(freed)->second.size) {
      --freed;
      return {AllocationInfo::Kind::Freed, freed->first, freed->second.size, {}, freed->second.allocated_at};
    }
  }
  if (!any) return {};
  const Object& object = below->second;
  return {object.kind, below->first, object.size, object.name, object.allocated_at};
}

bool DeviceMemory::counts_as_written(uint64_t address, uint64_t bytes) {
  if (kSharedRange.contains(address)) return !slabs_.contains(address, bytes);
  std::unique_lock lock(mutex_);
  auto found = find(address);
  if (found == objects_.end() || found->first + found->second.size - address < bytes) return true; // another rule's
  const Object& object = found->second;
  if (object.kind == Kind::Local || (object.kind == Kind::Global && !object.trusted)) return false;
  note_written(found->first, object.size);
  return true;
}

void DeviceMemory::trust_all() {
  std::unique_lock lock(mutex_);
  for (auto& [base, object] : objects_) object.trusted = true;
}

} // namespace tollgate::exec
