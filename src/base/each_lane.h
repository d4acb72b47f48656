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

// Of all 32 lanes, those that hold this value.
template <typename T> uint32_t lanes_with(const T* values, T value) {
  uint32_t same = 0;
  for (uint32_t lane = 0; lane < 32; ++lane) same |= uint32_t(values[lane] == value) << lane;
  return same;
}

// fn(set, value) for each set of these lanes that hold the same value; as a rule it is one.
template <typename T, typename Fn> void each_set(uint32_t lanes, const T* values, Fn fn) {
  while (lanes != 0) {
    const T value = values[std::countr_zero(lanes)];
    const uint32_t set = lanes & lanes_with(values, value);
    fn(set, value);
    lanes &= ~set;
  }
}

} // namespace tollgate
