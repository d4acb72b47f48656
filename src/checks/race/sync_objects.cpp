#include "checks/race/sync_objects.h"

namespace tollgate::checks::race {

namespace {

bool same_thread(const Epoch& a, const Epoch& b) { return a.block == b.block && a.warp == b.warp && a.lane == b.lane; }

} // namespace

Published SyncObjects::observed(uint64_t address, uint64_t block) const {
  if (!may_be_near(address)) return {};
  const auto object = objects_.find(address);
  if (object == objects_.end()) return {};
  const auto own = object->second.by_block.find(block);
  return {own == object->second.by_block.end() ? nullptr : own->second, object->second.grid};
}

void SyncObjects::write(uint64_t address, const Epoch& by, const Published& what) {
  if (what.empty() && !may_be_near(address)) return;
  const auto existing = objects_.find(address);
  Published kept = what;
  if (what.empty()) {
    if (existing == objects_.end()) return;
    if (same_thread(existing->second.releaser, by)) kept = existing->second.last;
    if (kept.empty()) {
      objects_.erase(existing);
      return;
    }
  }
  Object object;
  object.by_block[by.block] = kept.block;
  object.grid = kept.grid;
  object.releaser = by;
  object.last = kept;
  objects_[address] = std::move(object);
  note_line(address);
}

void SyncObjects::update(uint64_t address, const Epoch& by, const Published& what) {
  if (what.empty()) return;
  Object& object = objects_[address];
  note_line(address);
  ClockRef& own = object.by_block[by.block];
  own = VectorClock::join(own, what.block, by.block);
  object.grid = VectorClock::join(object.grid, what.grid, by.block);
  object.releaser = by;
  object.last = what;
}

} // namespace tollgate::checks::race
