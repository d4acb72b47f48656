#include "checks/race/bearings.h"

namespace tollgate::checks::race {

void Bearings::look_at(Entry& entry, const Slot& slot) const {
  entry = {slot.instruction(), {always, always}, {}, false, 0, {}};
  const std::optional<Access> earlier = access_of(slot, records_);
  if (!earlier) return; // overwritten
  entry.bytes = earlier->bytes;
  judge(entry, *earlier);
  for (unsigned i = 0; i < entry.fate.size(); ++i) {
    const unsigned own_lane = i & 1, is = always | if_within | if_overlapping | (i >= 2 ? if_equal : never);
    const bool unclear = (entry.clash[own_lane] & is) != 0 || (entry.own_update && own_lane == 0);
    entry.fate[i] = unclear ? Fate::Unclear : (entry.over[own_lane] & is) != 0 ? Fate::Over : Fate::Kept;
  }
}

void Bearings::judge(Entry& entry, const Access& earlier) const {
  const bool one_block = earlier.block == fresh_.block, one_warp = one_block && earlier.warp == fresh_.warp;
  const bool conflict = earlier.writes() || fresh_.writes(), atomics = both_update(fresh_, earlier);
  const When ordered = supersedes(fresh_, earlier) ? if_within : never;
  auto both = [&](When over, When clash) {
    entry.over = {over, over};
    entry.clash = {clash, clash};
  };
  if (!one_block && !conflict) return both(never, never); // whether there is an order is not looked for
  const Cover cover = state_.clock->cover({earlier.block, earlier.warp, 0, earlier.time});
  if (cover == Cover::All) return both(ordered, never);
  if (observes(fresh_, earlier, entry.whose == whose_))
    return ordered != never ? both(if_equal, never) : both(never, if_equal);
  if (cover == Cover::Some) return both(never, always);
  both(never, conflict && !atomics ? if_overlapping : never);
  if (!one_warp) return;
  entry.over[1] = ordered; // program order
  entry.clash[1] = never;
  entry.own_update = entry.whose == whose_ && atomics;
}

} // namespace tollgate::checks::race
