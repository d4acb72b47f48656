#include "checks/warp/missing_lanes.h"

#include <algorithm>

namespace tollgate::checks {

using observe::LaneMask;
using observe::WaitingLanes;
using observe::WaitKind;

LaneMask missing_lanes(const observe::StuckEvent& event, const WaitingLanes& waiting) {
  if (waiting.kind != WaitKind::WarpBarrier) return 0;
  LaneMask elsewhere = 0;
  for (const WaitingLanes& other : event.waiting) {
    if (other.warp != waiting.warp) continue;
    const bool other_mask = other.kind == WaitKind::WarpBarrier && other.wanted != waiting.wanted;
    const bool whole_block = other.kind == WaitKind::Barrier && other.count == 0;
    if (other_mask || whole_block) elsewhere |= other.mask;
  }
  return elsewhere & waiting.wanted;
}

bool waits_for_lanes(const observe::StuckEvent& event) {
  return !event.livelock && std::any_of(event.waiting.begin(), event.waiting.end(),
                                        [&](const WaitingLanes& lanes) { return missing_lanes(event, lanes) != 0; });
}

} // namespace tollgate::checks
