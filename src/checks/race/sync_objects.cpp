#include "checks/race/sync_objects.h"

namespace tollgate::checks::race {

namespace {

bool same_thread(const Epoch& a, const Epoch& b) { return a.block == b.block && a.warp == b.warp && a.lane == b.lane; }

} // namespace

Observed SyncObjects::observed(uint64_t address, uint64_t block) const {
  if (!may_be_near(address)) return {};
  const auto object = objects_.find(address);
  if (object == objects_.end()) return {};
  const auto& [by_block, grid, narrow, releaser, last] = object->second;
  const auto own = by_block.find(block);
  const bool others = by_block.size() > (own != by_block.end() ? 1 : 0);
  return {own == by_block.end() ? nullptr : own->second, grid, others ? narrow : nullptr};
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
  if (kept.block != kept.grid) object.narrow = kept.block;
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
  if (what.block != what.grid) object.narrow = VectorClock::join(object.narrow, what.block, by.block);
  object.releaser = by;
  object.last = what;
}

} // namespace tollgate::checks::race
