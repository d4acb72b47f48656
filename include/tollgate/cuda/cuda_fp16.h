/// \defgroup cuda_fp16 cuda_fp16.h
/// <cuda_fp16.h> for the route without a CUDA toolkit: __half and __half2 by the CUDA Math API, on clang's _Float16.
#pragma once

#include "half_common.h"

/// \addtogroup cuda_fp16
/// \{

/// A number of 16 bits: 5 of exponent, 11 of precision.
struct __align__(2) __half {
  _Float16 value; ///< the number

  /// \name Conversions
  /// \{

  /// \details Numbers of wider types are rounded to nearest even; by default nothing is set.
  __half() = default;
  TOLLGATE_BOTH_MEMBER __half(_Float16 v) : value(v) {}
  TOLLGATE_BOTH_MEMBER __half(float v) : value(static_cast<_Float16>(v)) {}
  TOLLGATE_BOTH_MEMBER __half(double v) : value(static_cast<_Float16>(v)) {}
  TOLLGATE_BOTH_MEMBER __half(int v) : value(static_cast<_Float16>(v)) {}
  TOLLGATE_BOTH_MEMBER __half(unsigned int v) : value(static_cast<_Float16>(v)) {}
  TOLLGATE_BOTH_MEMBER __half(long long v) : value(static_cast<_Float16>(v)) {}
  TOLLGATE_BOTH_MEMBER __half(unsigned long long v) : value(static_cast<_Float16>(v)) {}
  TOLLGATE_BOTH_MEMBER operator float() const { return static_cast<float>(value); }
  /// \}
};
typedef __half half; ///< another name

/// Two of them in a word.
struct __align__(4) __half2 {
  /// the lower half of the word
  __half x, y; ///< the upper half of the word

  /// Nothing is set.
  __half2() = default;
  /// From two numbers.
  TOLLGATE_BOTH_MEMBER __half2(__half a, __half b) : x(a), y(b) {}
};
typedef __half2 half2;    ///< another name
typedef __half nv_half;   ///< another name
typedef __half2 nv_half2; ///< another name

/// \name Conversions
/// \{

/// \details Without a suffix they round to nearest even.
TOLLGATE_BOTH __half __float2half_rn(float v) { return __half(v); }
TOLLGATE_BOTH __half __float2half(float v) { return __half(v); }
TOLLGATE_BOTH __half __double2half(double v) { return __half(v); }
TOLLGATE_BOTH float __half2float(__half v) { return static_cast<float>(v.value); }
TOLLGATE_BOTH __half __int2half_rn(int v) { return __half(v); }
TOLLGATE_BOTH __half __uint2half_rn(unsigned int v) { return __half(v); }
TOLLGATE_BOTH __half __short2half_rn(short v) { return __half(static_cast<int>(v)); }
TOLLGATE_BOTH __half __ushort2half_rn(unsigned short v) { return __half(static_cast<unsigned int>(v)); }
TOLLGATE_BOTH __half __ll2half_rn(long long v) { return __half(v); }
TOLLGATE_BOTH __half __ull2half_rn(unsigned long long v) { return __half(v); }
TOLLGATE_BOTH unsigned short __half_as_ushort(__half v) { return tollgate_half::bits(v); }
TOLLGATE_BOTH short __half_as_short(__half v) { return static_cast<short>(tollgate_half::bits(v)); }
TOLLGATE_BOTH __half __ushort_as_half(unsigned short v) { return tollgate_half::with_bits<__half>(v); }
TOLLGATE_BOTH __half __short_as_half(short v) {
  return tollgate_half::with_bits<__half>(static_cast<unsigned short>(v));
}

#define TOLLGATE_HALF_ROUNDED(mode)                                                                                    \
  TOLLGATE_DEVICE __half __float2half_##mode(float v) {                                                                \
    unsigned short out;                                                                                                \
    asm("cvt." TOLLGATE_ROUNDING_##mode ".f16.f32 %0, %1;" : "=h"(out) : "f"(v));                                      \
    return __ushort_as_half(out);                                                                                      \
  }
#define TOLLGATE_ROUNDING_rz "rz"
#define TOLLGATE_ROUNDING_rd "rm"
#define TOLLGATE_ROUNDING_ru "rp"
TOLLGATE_HALF_ROUNDED(rz)
TOLLGATE_HALF_ROUNDED(rd)
TOLLGATE_HALF_ROUNDED(ru)

#define TOLLGATE_HALF_TO_INTEGER(name, type, ptx, constraint, word)                                                    \
  TOLLGATE_HALF_TO_INTEGER_ROUNDED(__half2##name##_rn, type, "cvt.rni." ptx, constraint, word)                         \
  TOLLGATE_HALF_TO_INTEGER_ROUNDED(__half2##name##_rz, type, "cvt.rzi." ptx, constraint, word)                         \
  TOLLGATE_HALF_TO_INTEGER_ROUNDED(__half2##name##_rd, type, "cvt.rmi." ptx, constraint, word)                         \
  TOLLGATE_HALF_TO_INTEGER_ROUNDED(__half2##name##_ru, type, "cvt.rpi." ptx, constraint, word)
#define TOLLGATE_HALF_TO_INTEGER_ROUNDED(name, type, instruction, constraint, word)                                    \
  TOLLGATE_DEVICE type name(__half v) {                                                                                \
    word out;                                                                                                          \
    asm(instruction ".f16 %0, %1;" : constraint(out) : "h"(tollgate_half::bits(v)));                                   \
    return static_cast<type>(out);                                                                                     \
  }
TOLLGATE_HALF_TO_INTEGER(int, int, "s32", "=r", int)
TOLLGATE_HALF_TO_INTEGER(uint, unsigned int, "u32", "=r", unsigned int)
TOLLGATE_HALF_TO_INTEGER(short, short, "s16", "=h", short)
TOLLGATE_HALF_TO_INTEGER(ushort, unsigned short, "u16", "=h", unsigned short)
TOLLGATE_HALF_TO_INTEGER(ll, long long, "s64", "=l", long long)
TOLLGATE_HALF_TO_INTEGER(ull, unsigned long long, "u64", "=l", unsigned long long)
/// \}

/// \name Pairs
/// \{

/// \details As in the CUDA Math API.
TOLLGATE_BOTH __half2 make_half2(__half x, __half y) { return __half2(x, y); }
TOLLGATE_BOTH __half2 __halves2half2(__half x, __half y) { return __half2(x, y); }
TOLLGATE_BOTH __half2 __half2half2(__half v) { return __half2(v, v); }
TOLLGATE_BOTH __half2 __float2half2_rn(float v) { return __half2(__half(v), __half(v)); }
TOLLGATE_BOTH __half2 __floats2half2_rn(float x, float y) { return __half2(__half(x), __half(y)); }
TOLLGATE_BOTH __half2 __float22half2_rn(float2 v) { return __half2(__half(v.x), __half(v.y)); }
TOLLGATE_BOTH float2 __half22float2(__half2 v) { return make_float2(__half2float(v.x), __half2float(v.y)); }
TOLLGATE_BOTH __half __low2half(__half2 v) { return v.x; }
TOLLGATE_BOTH __half __high2half(__half2 v) { return v.y; }
TOLLGATE_BOTH float __low2float(__half2 v) { return __half2float(v.x); }
TOLLGATE_BOTH float __high2float(__half2 v) { return __half2float(v.y); }
TOLLGATE_BOTH __half2 __low2half2(__half2 v) { return __half2(v.x, v.x); }
TOLLGATE_BOTH __half2 __high2half2(__half2 v) { return __half2(v.y, v.y); }
TOLLGATE_BOTH __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
TOLLGATE_BOTH __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
TOLLGATE_BOTH __half2 __lowhigh2highlow(__half2 v) { return __half2(v.y, v.x); }
/// \}

/// \name Comparisons
/// \{

/// \details The "u" forms are true where an operand is NaN, the others false.
TOLLGATE_HALF_COMPARE(__half, __half2, __half2float)
/// \}

/// \name Smaller and larger
/// \{

/// \details The other operand where one is NaN; the _nan forms give NaN.
TOLLGATE_HALF_EXTREMES(__half, __half2, __half2float)
/// \}

/// \name Arithmetic
/// \{

// One rounding: in double precision the product is exact, and so is its sum for all but far-apart operands.
/// \details As in the CUDA Math API.
TOLLGATE_BOTH __half __hfma(__half a, __half b, __half c) {
#ifdef __CUDA_ARCH__
  unsigned short out;
  asm("fma.rn.f16 %0, %1, %2, %3;"
      : "=h"(out)
      : "h"(tollgate_half::bits(a)), "h"(tollgate_half::bits(b)), "h"(tollgate_half::bits(c)));
  return __ushort_as_half(out);
#else
  return __half(static_cast<double>(__half2float(a)) * __half2float(b) + __half2float(c));
#endif
}

TOLLGATE_HALF_ARITHMETIC(__half, __half2, __float2half_rn, __half2float)
TOLLGATE_HALF_FUNCTIONS(__half, __half2, __float2half_rn, __half2float)

TOLLGATE_BOTH int __hisinf(__half v) {
  const unsigned int bits = tollgate_half::bits(v);
  return (bits & 0x7fffu) != 0x7c00u ? 0 : (bits & 0x8000u) != 0 ? -1 : 1;
}
TOLLGATE_BOTH __half tollgate_saturate(__half v) { // NaN becomes 0
  const float wide = __half2float(v);
  return wide > 0.0f ? (wide < 1.0f ? v : __half(1.0f)) : __half(0.0f);
}
TOLLGATE_BOTH __half __hadd_sat(__half a, __half b) { return tollgate_saturate(a + b); }
TOLLGATE_BOTH __half __hsub_sat(__half a, __half b) { return tollgate_saturate(a - b); }
TOLLGATE_BOTH __half __hmul_sat(__half a, __half b) { return tollgate_saturate(a * b); }
TOLLGATE_BOTH __half __hfma_sat(__half a, __half b, __half c) { return tollgate_saturate(__hfma(a, b, c)); }
/// \}

/// \name Shuffles
/// \{

/// \details As in the CUDA C++ Programming Guide.
TOLLGATE_HALF_SHUFFLES(__half, __half2)
/// \}

/// \name Atomics
/// \{

/// \details The old value is returned.
TOLLGATE_HALF_ATOMICS(__half, __half2, "f16")
/// \}

/// \}
