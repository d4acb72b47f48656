/// \defgroup cooperative_groups_reduce cooperative_groups/reduce.h
/// <cooperative_groups/reduce.h>: every member of a tile or of a coalesced group gets the combination of all values.
#pragma once

#include "../cooperative_groups.h"

namespace cooperative_groups {

/// \addtogroup cooperative_groups_reduce
/// \{

/// The sum of two values.
template <typename T> struct plus {
  /// a + b
  TOLLGATE_GROUP_MEMBER T operator()(T a, T b) const { return a + b; }
};
/// The smaller one of two values.
template <typename T> struct less {
  /// the smaller of a and b
  TOLLGATE_GROUP_MEMBER T operator()(T a, T b) const { return b < a ? b : a; }
};
/// The larger one of two values.
template <typename T> struct greater {
  /// the larger of a and b
  TOLLGATE_GROUP_MEMBER T operator()(T a, T b) const { return a < b ? b : a; }
};
/// The bits that both values have.
template <typename T> struct bit_and {
  /// a & b
  TOLLGATE_GROUP_MEMBER T operator()(T a, T b) const { return a & b; }
};
/// The bits that one of two values has.
template <typename T> struct bit_or {
  /// a | b
  TOLLGATE_GROUP_MEMBER T operator()(T a, T b) const { return a | b; }
};
/// The bits in which two values differ.
template <typename T> struct bit_xor {
  /// a ^ b
  TOLLGATE_GROUP_MEMBER T operator()(T a, T b) const { return a ^ b; }
};

/// op over the values of a tile, in pairs at half its size, a quarter and so on.
template <unsigned int Size, typename Parent, typename T, typename Op>
TOLLGATE_DEVICE T reduce(const thread_block_tile<Size, Parent>& tile, T value, Op&& op) {
  for (unsigned int distance = Size / 2; distance != 0; distance /= 2)
    value = op(value, tile.shfl_xor(value, distance));
  return value;
}
/// op over the values of a group, in the order of ranks.
template <typename T, typename Op> TOLLGATE_DEVICE T reduce(const coalesced_group& group, T value, Op&& op) {
  T out = group.shfl(value, 0);
  for (unsigned int rank = 1; rank < group.size(); ++rank) out = op(out, group.shfl(value, rank));
  return out;
}

/// \}

} // namespace cooperative_groups
