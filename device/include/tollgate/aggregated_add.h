/// \defgroup aggregated_add aggregated_add.h
/// Additions that meet on few addresses, added up before they reach memory.
///
///     tollgate::aggregated_add(&sums[key], value);        // any lanes, any addresses
///     tollgate::block_aggregated_add(&total, value);      // every thread of the block, one address
///
/// T: integers of 8 to 64 bits, `__half`, `__nv_bfloat16`, `float`, `double`. Nothing is returned. Floating-point sums
/// depend on the order in which warps arrive, as with `atomicAdd`. There are no atomics of 8 and hardly any of 16 bits:
/// for these types the 4-byte word around the address is updated, all of which must belong to the same allocation.
#pragma once
#include "detail/atomics.h"

namespace tollgate {

/// \addtogroup aggregated_add
/// \{

namespace detail {

// True where the addresses of a whole warp are certainly all different, as those of neighbours are: the low bits of the
// element numbers then take all 32 values. It costs one reduction of bits, no shuffle, which would queue behind the
// additions of other warps.
template <class T> __device__ inline bool surely_different(unsigned low_address) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const unsigned slot = (low_address / static_cast<unsigned>(sizeof(T))) & 31;
  return __reduce_or_sync(0xffffffffu, 1u << slot) == 0xffffffffu;
#else
  return false;
#endif
}

} // namespace detail

/// *address += value for each calling lane. Lanes with the address of the first one are added up and one of them adds;
/// that is done again for the rest while it finds company, and lanes on addresses of their own add for themselves.
template <class T> __device__ void aggregated_add(T* address, T value) {
  unsigned waiting = __activemask();
  const unsigned lane_bit = 1u << ((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) & 31);
  const bool whole_warp = waiting == 0xffffffffu;
  const unsigned all = waiting;
  const unsigned long long at = reinterpret_cast<unsigned long long>(address);
  const unsigned low = static_cast<unsigned>(at), high = static_cast<unsigned>(at >> 32);
  if (whole_warp && detail::surely_different<T>(low)) {
    detail::plain_add(address, value);
    return;
  }
  while (waiting != 0) {
    const int leader = __ffs(static_cast<int>(waiting)) - 1;
    unsigned same = __ballot_sync(all, low == __shfl_sync(all, low, leader)) & waiting;
    if ((same & (same - 1)) == 0) break; // what spread addresses pay: a shuffle and a vote
    same &= __ballot_sync(all, high == __shfl_sync(all, high, leader));
    const bool member = (same & lane_bit) != 0;
    T sum = member ? value : detail::zero_of<T>();
    if (whole_warp) {
      sum = detail::warp_sum(sum);
    } else {
      sum = detail::zero_of<T>();
      for (unsigned rest = same; rest != 0; rest &= rest - 1) {
        const T other = detail::shuffle_from(all, value, __ffs(static_cast<int>(rest)) - 1);
        sum = sum + other;
      }
    }
    if (lane_bit == 1u << leader) detail::contended_add(address, sum);
    __syncwarp(all);
    waiting &= ~same;
  }
  if ((waiting & lane_bit) != 0) detail::plain_add(address, value);
}

/// *address += the sum of `value` over the block: one addition to memory. Every thread of the block calls it with the
/// same address; it holds two barriers. Sums of `__half` and `__nv_bfloat16` are made in float and rounded once.
template <class T> __device__ void block_aggregated_add(T* address, T value) {
  using Sum = detail::sum_type<T>;
  __shared__ Sum partial[32];
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  const unsigned warp = thread / 32, warps = (threads + 31) / 32, in_warp = threads - warp * 32;
  const Sum own = static_cast<Sum>(value);
  Sum sum = own;
  if (in_warp >= 32) {
    sum = detail::warp_sum(own);
  } else { // the last warp is not full
    sum = detail::zero_of<Sum>();
    for (unsigned lane = 0; lane < in_warp; ++lane) {
      const Sum other = detail::shuffle_from((1u << in_warp) - 1, own, static_cast<int>(lane));
      sum = sum + other;
    }
  }
  if (thread % 32 == 0) partial[warp] = sum;
  __syncthreads();
  const bool adds_up = warp == 0 && threads >= 32;
  if (adds_up) sum = thread < warps ? partial[thread] : detail::zero_of<Sum>();
  __syncthreads(); // `partial` may be used again; the other warps go on
  if (adds_up) sum = detail::warp_sum(sum);
  if (thread == 0) detail::plain_add(address, static_cast<T>(sum));
}

/// \}

} // namespace tollgate
