// The lanes of a warp mask, one after the other.
#pragma once

#include <bit>
#include <cstdint>

namespace tollgate {

// Calls fn(lane) for each set bit, from the lowest.
template <typename Fn> void each_lane(uint32_t lanes, Fn fn) {
  for (; lanes != 0; lanes &= lanes - 1) fn(static_cast<uint32_t>(std::countr_zero(lanes)));
}

// The same where most often all lanes run, which need not be looked for.
template <typename Fn> void each_lane_of_most(uint32_t lanes, Fn fn) {
  if (lanes != ~0u) return each_lane(lanes, fn);
#pragma GCC unroll 8
  for (uint32_t lane = 0; lane < 32; ++lane) fn(lane);
}

} // namespace tollgate
