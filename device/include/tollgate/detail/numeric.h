// Sample types and arithmetic that gives the same bits on a host and on a device.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <iterator>
#include <math.h>
#include <stdint.h>
#include <type_traits>

namespace tollgate::detail {

template <class T> inline constexpr bool is_small_float = std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;
template <class T> inline constexpr bool is_float = std::is_floating_point_v<T> || is_small_float<T>;

// The type in which samples of type T meet levels of type L: double where one of them is double, or where float could
// not hold the sample's value.
template <class T, class L> struct CommonFloat {
  static constexpr bool wide =
      std::is_same_v<T, double> || std::is_same_v<L, double> || (std::is_integral_v<T> && sizeof(T) > 2);
  using type = std::conditional_t<wide, double, float>;
};
template <class T, class L> using common_float = typename CommonFloat<T, L>::type;

template <class F, class T> __host__ __device__ inline F to_float(T x) {
  if constexpr (std::is_same_v<T, __half>) {
    return static_cast<F>(__half2float(x));
  } else if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    return static_cast<F>(__bfloat162float(x));
  } else {
    return static_cast<F>(x);
  }
}

// On a host, directed rounding is made of the nearest result and its exact error.
template <class F> __host__ inline F below_if(F rounded, F error) {
  return error < F(0) ? nextafter(rounded, -F(INFINITY)) : rounded;
}

// x - y, rounded towards minus infinity.
template <class F> __host__ __device__ inline F subtract_down(F x, F y) {
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(F) == 4) {
    return __fsub_rd(x, y);
  } else {
    return __dsub_rd(x, y);
  }
#else
  const volatile F sum = x - y;
  const volatile F back = sum - x;
  const volatile F rest = sum - back;
  const F error = (x - rest) + (-y - back);
  return below_if<F>(sum, error);
#endif
}

// x * y, rounded towards minus infinity.
template <class F> __host__ __device__ inline F multiply_down(F x, F y) {
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(F) == 4) {
    return __fmul_rd(x, y);
  } else {
    return __dmul_rd(x, y);
  }
#else
  const volatile F product = x * y;
  return below_if<F>(product, std::fma(x, y, -product));
#endif
}

// The upper half of a product.
__host__ __device__ inline uint32_t multiply_high(uint32_t x, uint32_t y) {
#ifdef __CUDA_ARCH__
  return __umulhi(x, y);
#else
  return static_cast<uint32_t>((static_cast<uint64_t>(x) * y) >> 32);
#endif
}
__host__ __device__ inline uint64_t multiply_high(uint64_t x, uint64_t y) {
#ifdef __CUDA_ARCH__
  return __umul64hi(x, y);
#else
  return static_cast<uint64_t>((static_cast<unsigned __int128>(x) * y) >> 64);
#endif
}

// The upper half of x * y + z. As one instruction: of the same in C++ the compiler makes four.
__host__ __device__ inline uint32_t multiply_add_high(uint32_t x, uint32_t y, uint32_t z) {
#ifdef __CUDA_ARCH__
  uint32_t high;
  asm("{\n\t.reg .u64 sum;\n\t.reg .u32 low;\n\tmov.b64 sum, {%3, 0};\n\tmad.wide.u32 sum, %1, %2, sum;\n\t"
      "mov.b64 {low, %0}, sum;\n\t}"
      : "=r"(high)
      : "r"(x), "r"(y), "r"(z));
  return high;
#else
  return static_cast<uint32_t>((static_cast<uint64_t>(x) * y + z) >> 32);
#endif
}

template <class It> using sample_of = std::remove_cv_t<typename std::iterator_traits<It>::value_type>;

// Samples that lie in memory as they are, so that they can be read 16 bytes at a time.
template <class It>
inline constexpr bool is_plain_memory = std::is_pointer_v<It> && (sizeof(sample_of<It>) <= 8) &&
                                        (std::is_integral_v<sample_of<It>> || is_float<sample_of<It>>);

} // namespace tollgate::detail
