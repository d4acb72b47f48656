#include "exec/device_heap.h"

namespace tollgate::exec {

namespace {
constexpr uint64_t kAlign = 16; // the guide promises 16 bytes
}

DeviceHeap::~DeviceHeap() {
  if (base_) memory_.release_heap(base_);
}

bool DeviceHeap::map() {
  if (base_) return true;
  if (bytes_ == 0) return false;
  base_ = memory_.allocate_heap(bytes_);
  if (base_) span_.emplace(base_, bytes_);
  return base_ != 0;
}

uint64_t DeviceHeap::allocate(uint64_t bytes) {
  std::lock_guard lock(mutex_);
  if (bytes == 0 || bytes > bytes_ || !map()) return 0;
  const uint64_t taken = round_up(bytes, kAlign);
  auto address = span_->take(taken, kAlign);
  if (!address) return 0;
  live_.emplace(*address, taken);
  memory_.add_part(*address, bytes, "device malloc");
  return *address;
}

bool DeviceHeap::release(uint64_t address) {
  if (address == 0) return true;
  std::lock_guard lock(mutex_);
  auto found = live_.find(address);
  if (found == live_.end()) return false;
  memory_.remove_part(address);
  span_->give(address, found->second);
  live_.erase(found);
  return true;
}

bool DeviceHeap::resize(uint64_t bytes) {
  std::lock_guard lock(mutex_);
  if (base_) return bytes == bytes_;
  bytes_ = bytes;
  return true;
}

uint64_t DeviceHeap::size() const {
  std::lock_guard lock(mutex_);
  return bytes_;
}

} // namespace tollgate::exec
