// Device memory as the host sees it: views, pointer queries and registered host memory.
#include "exec/memory.h"

#include <iterator>
#include <mutex>

namespace tollgate::exec {

namespace {
uint64_t as_number(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }
} // namespace

void* DeviceMemory::host_view(uint64_t address, uint64_t bytes) const {
  bool inside = kSharedRange.contains(address) ? slabs_.contains(address, bytes) : contains_slow(address, bytes);
  return inside ? backing(address) : nullptr;
}

uint64_t DeviceMemory::map_host(void* host, uint64_t bytes, std::string_view host_site) {
  uint64_t first = as_number(host), begin = first / kPage * kPage, end = round_up(first + bytes, kPage);
  if (bytes == 0 || first + bytes < first || end <= begin || in_window(first)) return 0;
  // Replacing the pages under our own feet would lose what this function writes meanwhile.
  uint64_t frame = as_number(__builtin_frame_address(0));
  if (frame >= begin && frame - kPage < end) return 0;

  std::unique_lock lock(mutex_);
  for (auto [other, device] : by_host_) {
    uint64_t other_end = round_up(other + objects_.at(device).size, kPage);
    if (other / kPage * kPage < end && begin < other_end) return 0;
  }
  uint64_t pages = end - begin, reserved = host_visible_.reserve(pages);
  if (!reserved) return 0;
  Sharing how = share_host_pages(begin, reserved, pages);
  if (how == Sharing::Failed) {
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
  uint64_t device = found->second, first = found->first;
  Object object = std::move(objects_.at(device));
  objects_.erase(device);
  by_host_.erase(found);
  changed();
  uint64_t begin = first / kPage * kPage, pages = round_up(first + object.size, kPage) - begin;
  uint64_t reserved = device / kPage * kPage;
  unshare_host_pages(begin, reserved, pages, object.sharing);
  host_visible_.unreserve(reserved, pages);
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
