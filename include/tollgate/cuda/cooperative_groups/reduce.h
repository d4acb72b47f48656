// <cooperative_groups/reduce.h>: every member of a tile or of a coalesced group gets the combination of all values.
#pragma once

#include "../cooperative_groups.h"

namespace cooperative_groups {

template <typename T> struct plus {
  TOLLGATE_GROUP_MEMBER T operator()(T a, T b) const { return a + b; }
};
template <typename T> struct less { // the smaller one
  TOLLGATE_GROUP_MEMBER T operator()(T a, T b) const { return b < a ? b : a; }
};
template <typename T> struct greater { // the larger one
  TOLLGATE_GROUP_MEMBER T operator()(T a, T b) const { return a < b ? b : a; }
};
template <typename T> struct bit_and {
  TOLLGATE_GROUP_MEMBER T operator()(T a, T b) const { return a & b; }
};
template <typename T> struct bit_or {
  TOLLGATE_GROUP_MEMBER T operator()(T a, T b) const { return a | b; }
};
template <typename T> struct bit_xor {
  TOLLGATE_GROUP_MEMBER T operator()(T a, T b) const { return a ^ b; }
};

template <unsigned int Size, typename Parent, typename T, typename Op>
TOLLGATE_DEVICE T reduce(const thread_block_tile<Size, Parent>& tile, T value, Op&& op) {
  for (unsigned int distance = Size / 2; distance != 0; distance /= 2)
    value = op(value, tile.shfl_xor(value, distance));
  return value;
}
template <typename T, typename Op> TOLLGATE_DEVICE T reduce(const coalesced_group& group, T value, Op&& op) {
  T out = group.shfl(value, 0);
  for (unsigned int rank = 1; rank < group.size(); ++rank) out = op(out, group.shfl(value, rank));
  return out;
}

} // namespace cooperative_groups
