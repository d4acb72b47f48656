// Device memory as the host sees it: views, pointer queries and registered host memory.
#include "exec/memory.h"

#include <iterator>
#include <mutex>

namespace tollgate::exec {

namespace {
uint64_t as_number(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }
} // namespace

void* DeviceMemory::host_view(uint64_t address, uint64_t bytes) const {
  Found found;
  bool inside = kSharedRange.contains(address) ? slabs_.contains(address, bytes) : contains_slow(address, bytes, found);
  return inside ? backing(address) : nullptr;
}

// Registered objects do not overlap, but neighbours may meet on a page: small buffers of one heap do.
const DeviceMemory::Object* DeviceMemory::registered_on(uint64_t page) const {
  auto next = by_host_.lower_bound(page + kPage);
  if (next == by_host_.begin()) return nullptr;
  auto [first, device] = *std::prev(next);
  const Object& object = objects_.at(device);
  return round_up(first + object.size, kPage) > page ? &object : nullptr;
}

bool DeviceMemory::overlaps_registered(uint64_t first, uint64_t bytes) const {
  auto next = by_host_.lower_bound(first + bytes);
  if (next == by_host_.begin()) return false;
  auto [other, device] = *std::prev(next);
  return other + objects_.at(device).size > first;
}

// Pages that a neighbour has shared before are at the two ends. Where parts differ, none is to be made private later.
Sharing DeviceMemory::share(uint64_t begin, uint64_t end, uint64_t device) const {
  Sharing how = Sharing::Replaced;
  auto duplicate = [&](uint64_t page, const Object& neighbour) {
    if (neighbour.sharing == Sharing::AlreadyShared) how = Sharing::AlreadyShared;
    return duplicate_shared_pages(page, device + (page - begin), kPage);
  };
  uint64_t at = begin, last = end;
  if (const Object* neighbour = registered_on(begin)) {
    if (!duplicate(begin, *neighbour)) return Sharing::Failed;
    at += kPage;
  }
  const Object* neighbour = last > at ? registered_on(end - kPage) : nullptr;
  if (neighbour) {
    if (!duplicate(end - kPage, *neighbour)) return Sharing::Failed;
    last -= kPage;
  }
  if (at == last) return how;
  const Sharing middle = share_host_pages(at, device + (at - begin), last - at);
  return middle == Sharing::Replaced ? how : middle;
}

uint64_t DeviceMemory::map_host(void* host, uint64_t bytes, std::string_view host_site) {
  uint64_t first = as_number(host), begin = first / kPage * kPage, end = round_up(first + bytes, kPage);
  if (bytes == 0 || first + bytes < first || end <= begin || in_window(first)) return 0;
  // Replacing the pages under our own feet would lose what this function writes meanwhile.
  uint64_t frame = as_number(__builtin_frame_address(0));
  if (frame >= begin && frame - 16 * kPage < end) return 0;

  std::unique_lock lock(mutex_);
  uint64_t pages = end - begin;
  if (overlaps_registered(first, bytes) || pages > kHostVisibleRange.bytes) return 0;
  uint64_t reserved = host_visible_.reserve(pages);
  if (!reserved) return 0;
  Sharing how = share(begin, end, reserved);
  if (how == Sharing::Failed) {
    unmap_private(reserved, pages);
    host_visible_.unreserve(reserved, pages);
    return 0;
  }
  uint64_t device = reserved + first - begin;
  Object object{.size = bytes,
                .kind = Kind::Mapped,
                .owner = Owner::Registered,
                .allocated_at = std::string(host_site),
                .host = first,
                .sharing = how};
  by_host_.emplace(first, device);
  add(device, std::move(object));
  return device;
}

bool DeviceMemory::unmap_host(void* host) {
  std::unique_lock lock(mutex_);
  auto found = by_host_.find(as_number(host));
  if (found == by_host_.end()) return false;
  auto [first, device] = *found;
  Object object = std::move(objects_.at(device));
  objects_.erase(device);
  by_host_.erase(found);
  changed();
  uint64_t begin = first / kPage * kPage, end = round_up(first + object.size, kPage);
  uint64_t reserved = device / kPage * kPage;
  // Pages that a neighbour still uses stay shared.
  uint64_t at = registered_on(begin) ? begin + kPage : begin;
  uint64_t last = registered_on(end - kPage) ? end - kPage : end;
  if (object.sharing == Sharing::Replaced && at < last) make_host_pages_private(at, reserved + (at - begin), last - at);
  unmap_private(reserved, end - begin);
  host_visible_.unreserve(reserved, end - begin);
  note_freed(device, object);
  return true;
}

const DeviceMemory::Object* DeviceMemory::registered(uint64_t host, uint64_t& base) const {
  auto next = by_host_.upper_bound(host);
  if (next == by_host_.begin()) return nullptr;
  auto [first, device] = *std::prev(next);
  const Object& object = objects_.at(device);
  base = device;
  return host - first < object.size ? &object : nullptr;
}

PointerInfo DeviceMemory::pointer_info(const void* pointer) const {
  using To = PointerInfo::Kind;
  uint64_t address = as_number(pointer), base = 0;
  std::shared_lock lock(mutex_);
  if (const Object* object = registered(address, base))
    return {To::PinnedHost, base + (address - object->host), const_cast<void*>(pointer), base, object->size};
  auto found = find(address);
  if (found == objects_.end()) return {};
  const Object& object = found->second;
  PointerInfo info{To::Device, address, nullptr, found->first, object.size};
  if (object.owner == Owner::Registered) {
    info.kind = To::PinnedHost;
    info.host = reinterpret_cast<void*>(object.host + (address - found->first));
  } else if (object.kind == Kind::Managed || object.kind == Kind::Mapped) {
    info.kind = object.kind == Kind::Managed ? To::Managed : To::PinnedHost;
    info.host = const_cast<void*>(pointer);
  }
  return info;
}

bool is_device_address(const void* host_fault) { return in_window(as_number(host_fault)); }

} // namespace tollgate::exec
