// The lanes of a warp mask, one after the other.
#pragma once

#include <bit>
#include <cstdint>

namespace tollgate {

// Calls fn(lane) for each set bit, from the lowest.
template <typename Fn> void each_lane(uint32_t lanes, Fn fn) {
  for (; lanes != 0; lanes &= lanes - 1) fn(static_cast<uint32_t>(std::countr_zero(lanes)));
}

} // namespace tollgate
