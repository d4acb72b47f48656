#include "checks/race/shadow.h"

#include <algorithm>

namespace tollgate::checks::race {

using observe::AllocationInfo;

AccessId AccessRecords::add(const Access& access) {
  if (ring_.size() < capacity) {
    if (next_ >= ring_.size()) ring_.push_back(access);
    ring_[next_] = access;
  } else {
    ring_[next_ % capacity] = access;
  }
  return next_++;
}

bool AccessRecords::begin_launch() {
  first_ = next_;
  if (next_ < UINT32_MAX / 2) return false;
  ring_.assign(1, {});
  first_ = next_ = 1;
  return true;
}

void Shadow::fill(Cached& cached, uint64_t number, uint64_t address) {
  const auto [entry, fresh] = pages_.try_emplace(number);
  Page& page = entry->second;
  if (fresh) {
    switch (memory_.lookup(address).kind) {
    case AllocationInfo::Kind::Shared: page.shared = true; [[fallthrough]];
    case AllocationInfo::Kind::Global:
    case AllocationInfo::Kind::Managed:
    case AllocationInfo::Kind::Mapped:
    case AllocationInfo::Kind::ModuleVariable:
      page.checked = true;
      page.cells = std::make_unique<std::array<Cell, page_bytes / granule_bytes>>();
      break;
    case AllocationInfo::Kind::Local:
    case AllocationInfo::Kind::Const:
    case AllocationInfo::Kind::Param: break;
    case AllocationInfo::Kind::None:
    case AllocationInfo::Kind::Freed:
    case AllocationInfo::Kind::HostMemory: // not to be remembered: something else may come to lie here
      pages_.erase(entry);
      cached.number = ~uint64_t{0};
      cached.page = nullptr;
      return;
    }
  }
  cached.number = number;
  cached.page = page.checked ? &page : nullptr;
}

void Shadow::trim(bool all) {
  constexpr size_t many_pages = 100 * 1024 * 1024 / page_bytes;
  if (!all && pages_.size() < many_pages) return;
  pages_.clear();
  cache_.fill({});
}

} // namespace tollgate::checks::race
