// One atomic addition for each type, by what the architecture offers; the result is not returned.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>
#include <type_traits>

namespace tollgate::detail {

// Integers narrower than any atomic: compare and swap on the word around them.
template <class T> __device__ inline void add_within_word(T* address, T value) {
  const uintptr_t at = reinterpret_cast<uintptr_t>(address);
  unsigned* word = reinterpret_cast<unsigned*>(at & ~uintptr_t{3});
  const unsigned shift = static_cast<unsigned>(at & 3) * 8;
  const unsigned mask = (sizeof(T) == 1 ? 0xffu : 0xffffu) << shift;
  unsigned seen = *static_cast<volatile unsigned*>(word);
  while (true) {
    const unsigned sum = (((seen & mask) >> shift) + static_cast<unsigned>(value)) << shift & mask;
    const unsigned before = atomicCAS(word, seen, (seen & ~mask) | sum);
    if (before == seen) return;
    seen = before;
  }
}

// A pair with the value in the half that the address names and -0, which changes nothing, in the other.
template <class T> __device__ inline unsigned pair_with(T value, bool upper) {
  const unsigned bits = *reinterpret_cast<const unsigned short*>(&value);
  return upper ? bits << 16 | 0x8000u : bits | 0x80000000u;
}

// Global memory adds pairs of 16-bit numbers natively, single ones only by compare and swap.
__device__ inline void add_pair(__half*, uint64_t word, unsigned pair) {
  asm volatile("red.relaxed.gpu.global.add.noftz.f16x2 [%0], %1;" ::"l"(word), "r"(pair) : "memory");
}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
__device__ inline void add_pair(__nv_bfloat16*, uint64_t word, unsigned pair) {
  asm volatile("red.relaxed.gpu.global.add.noftz.bf16x2 [%0], %1;" ::"l"(word), "r"(pair) : "memory");
}
#endif

template <class T> __device__ inline void add_small_float(T* address, T value) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  constexpr bool pairs = true;
#else
  constexpr bool pairs = std::is_same_v<T, __half>;
#endif
  if constexpr (pairs) {
    if (__isGlobal(address)) {
      const uint64_t at = __cvta_generic_to_global(address);
      add_pair(address, at & ~uint64_t{3}, pair_with(value, (at & 2) != 0));
      return;
    }
  }
  atomicAdd(address, value);
}

template <class T> __device__ inline void plain_add(T* address, T value) {
  if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
    atomicAdd(reinterpret_cast<unsigned long long*>(address), static_cast<unsigned long long>(value));
  } else if constexpr (std::is_integral_v<T> && sizeof(T) == 4) {
    atomicAdd(reinterpret_cast<unsigned*>(address), static_cast<unsigned>(value));
  } else if constexpr (std::is_integral_v<T>) {
    add_within_word(address, value);
  } else if constexpr (std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>) {
    add_small_float(address, value);
  } else {
    atomicAdd(address, value);
  }
}

// For an address on which many warps meet: there the loop of atomicAdd(__half*) turns over more often than the memory's
// own addition of pairs.
template <class T> __device__ inline void contended_add(T* address, T value) {
  if constexpr (std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>) {
    atomicAdd(address, value);
  } else {
    plain_add(address, value);
  }
}

// What sums of many values are made in.
template <class T>
using sum_type = std::conditional_t<std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>, float, T>;

template <class T> __device__ inline T zero_of() {
  if constexpr (std::is_same_v<T, __half>) {
    return __float2half(-0.0f);
  } else if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    return __float2bfloat16(-0.0f);
  } else if constexpr (std::is_floating_point_v<T>) {
    return T(-0.0); // x + -0 is x, for -0 too
  } else {
    return T(0);
  }
}

template <class T> __device__ inline T shuffle_from(unsigned mask, T value, int lane) {
  if constexpr (sizeof(T) < 4 && std::is_integral_v<T>) {
    return static_cast<T>(__shfl_sync(mask, static_cast<int>(value), lane));
  } else if constexpr (sizeof(T) == 8 && std::is_integral_v<T>) {
    return static_cast<T>(__shfl_sync(mask, static_cast<unsigned long long>(value), lane));
  } else {
    return __shfl_sync(mask, value, lane);
  }
}

// The sum of the values of all 32 lanes, in every lane; always added up in the same order.
template <class T> __device__ inline T warp_sum(T value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (std::is_integral_v<T> && sizeof(T) <= 4) {
    return static_cast<T>(__reduce_add_sync(0xffffffffu, static_cast<unsigned>(value)));
  }
#endif
  const int lane = static_cast<int>(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) & 31;
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    const T other = shuffle_from(0xffffffffu, value, lane ^ step);
    value = value + other;
  }
  return value;
}

} // namespace tollgate::detail
