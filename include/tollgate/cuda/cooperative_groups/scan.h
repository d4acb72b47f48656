/// \defgroup cooperative_groups_scan cooperative_groups/scan.h
/// <cooperative_groups/scan.h>: each member gets the combination of the values up to its own, or before it.
#pragma once

#include "reduce.h"

namespace cooperative_groups {

/// \addtogroup cooperative_groups_scan
/// \{

/// op over the values of the members up to this one.
template <typename Group, typename T, typename Op>
TOLLGATE_DEVICE T inclusive_scan(const Group& group, T value, Op&& op) {
  for (unsigned int distance = 1; distance < group.size(); distance *= 2) {
    const T before = group.shfl_up(value, distance);
    if (group.thread_rank() >= distance) value = op(before, value);
  }
  return value;
}
/// The sum up to this member.
template <typename Group, typename T> TOLLGATE_DEVICE T inclusive_scan(const Group& group, T value) {
  return inclusive_scan(group, value, plus<T>());
}
/// op over the values of the members before this one.
/// The first member gets a value made of nothing: T().
template <typename Group, typename T, typename Op>
TOLLGATE_DEVICE T exclusive_scan(const Group& group, T value, Op&& op) {
  const T before = group.shfl_up(inclusive_scan(group, value, op), 1);
  return group.thread_rank() == 0 ? T() : before;
}
/// The sum of the members before this one.
template <typename Group, typename T> TOLLGATE_DEVICE T exclusive_scan(const Group& group, T value) {
  return exclusive_scan(group, value, plus<T>());
}

/// \}

} // namespace cooperative_groups
