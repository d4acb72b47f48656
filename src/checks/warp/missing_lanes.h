// Lanes that a waiting warp operation names and that will not come.
#pragma once

#include "observe/observer.h"

namespace tollgate::checks {

// Of the lanes that `waiting` (a WarpBarrier of `event`) names: those that wait elsewhere for ever, at a warp operation
// with another mask or at a barrier of the whole block, which waits for this warp in turn. A lane at a barrier with a
// thread count of its own may lack threads for other reasons: that is a deadlock.
[[nodiscard]] observe::LaneMask missing_lanes(const observe::StuckEvent& event, const observe::WaitingLanes& waiting);

// Whether a stuck block is stuck for this reason.
[[nodiscard]] bool waits_for_lanes(const observe::StuckEvent& event);

} // namespace tollgate::checks
