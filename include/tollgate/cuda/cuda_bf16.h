/// \defgroup cuda_bf16 cuda_bf16.h
/// <cuda_bf16.h> for the route without a CUDA toolkit: __nv_bfloat16 and __nv_bfloat162 by the CUDA Math API. A
/// bfloat16 is the upper half of a float.
#pragma once

#include "half_common.h"

namespace tollgate_half {

// Rounds to nearest even; a NaN stays one.
TOLLGATE_BOTH unsigned short upper_half(float v) {
  const unsigned int bits = __builtin_bit_cast(unsigned int, v);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
  return static_cast<unsigned short>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

// Double to float so that rounding the result once more is as good as rounding once: what is lost sets the last bit.
TOLLGATE_BOTH float to_odd(double v) {
  const float near = static_cast<float>(v);
  const unsigned int bits = __builtin_bit_cast(unsigned int, near);
  if (static_cast<double>(near) == v || v != v || (bits & 0x7fffffffu) >= 0x7f800000u || (bits & 1u) != 0) return near;
  const bool too_large = __builtin_fabs(static_cast<double>(near)) > __builtin_fabs(v);
  return __builtin_bit_cast(float, too_large ? bits - 1 : bits + 1);
}

} // namespace tollgate_half

/// \addtogroup cuda_bf16
/// \{

/// A number of 16 bits, the upper half of a float: 8 bits of exponent, 8 of precision.
struct __align__(2) __nv_bfloat16 {
  unsigned short bits; ///< the number

  /// \name Conversions
  /// \{

  /// \details Numbers of wider types are rounded to nearest even; by default nothing is set.
  __nv_bfloat16() = default;
  TOLLGATE_BOTH_MEMBER __nv_bfloat16(float v) : bits(tollgate_half::upper_half(v)) {}
  TOLLGATE_BOTH_MEMBER __nv_bfloat16(double v) : __nv_bfloat16(tollgate_half::to_odd(v)) {}
  TOLLGATE_BOTH_MEMBER __nv_bfloat16(int v) : __nv_bfloat16(static_cast<double>(v)) {}
  TOLLGATE_BOTH_MEMBER __nv_bfloat16(unsigned int v) : __nv_bfloat16(static_cast<double>(v)) {}
  TOLLGATE_BOTH_MEMBER operator float() const {
    return __builtin_bit_cast(float, static_cast<unsigned int>(bits) << 16);
  }
  /// \}
};
typedef __nv_bfloat16 nv_bfloat16; ///< another name

/// Two of them in a word.
struct __align__(4) __nv_bfloat162 {
  /// the lower half of the word
  __nv_bfloat16 x, y; ///< the upper half of the word

  /// Nothing is set.
  __nv_bfloat162() = default;
  /// From two numbers.
  TOLLGATE_BOTH_MEMBER __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b) {}
};
typedef __nv_bfloat162 nv_bfloat162; ///< another name

/// \name Conversions
/// \{

/// \details Without a suffix they round to nearest even.
TOLLGATE_BOTH __nv_bfloat16 __float2bfloat16_rn(float v) { return __nv_bfloat16(v); }
TOLLGATE_BOTH __nv_bfloat16 __float2bfloat16(float v) { return __nv_bfloat16(v); }
TOLLGATE_BOTH __nv_bfloat16 __double2bfloat16(double v) { return __nv_bfloat16(v); }
TOLLGATE_BOTH float __bfloat162float(__nv_bfloat16 v) { return static_cast<float>(v); }
TOLLGATE_BOTH __nv_bfloat16 __int2bfloat16_rn(int v) { return __nv_bfloat16(v); }
TOLLGATE_BOTH __nv_bfloat16 __uint2bfloat16_rn(unsigned int v) { return __nv_bfloat16(v); }
TOLLGATE_BOTH int __bfloat162int_rn(__nv_bfloat16 v) { return static_cast<int>(__builtin_rintf(__bfloat162float(v))); }
TOLLGATE_BOTH int __bfloat162int_rz(__nv_bfloat16 v) { return static_cast<int>(__bfloat162float(v)); }
TOLLGATE_BOTH unsigned short __bfloat16_as_ushort(__nv_bfloat16 v) { return v.bits; }
TOLLGATE_BOTH short __bfloat16_as_short(__nv_bfloat16 v) { return static_cast<short>(v.bits); }
TOLLGATE_BOTH __nv_bfloat16 __ushort_as_bfloat16(unsigned short v) {
  return tollgate_half::with_bits<__nv_bfloat16>(v);
}
TOLLGATE_BOTH __nv_bfloat16 __short_as_bfloat16(short v) {
  return tollgate_half::with_bits<__nv_bfloat16>(static_cast<unsigned short>(v));
}
/// \}

/// \name Pairs
/// \{

/// \details As in the CUDA Math API.
TOLLGATE_BOTH __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return __nv_bfloat162(x, y); }
TOLLGATE_BOTH __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return __nv_bfloat162(x, y); }
TOLLGATE_BOTH __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 v) { return __nv_bfloat162(v, v); }
TOLLGATE_BOTH __nv_bfloat162 __float2bfloat162_rn(float v) {
  return __nv_bfloat162(__nv_bfloat16(v), __nv_bfloat16(v));
}
TOLLGATE_BOTH __nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
  return __nv_bfloat162(__nv_bfloat16(x), __nv_bfloat16(y));
}
TOLLGATE_BOTH __nv_bfloat162 __float22bfloat162_rn(float2 v) { return __floats2bfloat162_rn(v.x, v.y); }
TOLLGATE_BOTH float2 __bfloat1622float2(__nv_bfloat162 v) {
  return make_float2(__bfloat162float(v.x), __bfloat162float(v.y));
}
TOLLGATE_BOTH __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
TOLLGATE_BOTH __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
TOLLGATE_BOTH float __low2float(__nv_bfloat162 v) { return __bfloat162float(v.x); }
TOLLGATE_BOTH float __high2float(__nv_bfloat162 v) { return __bfloat162float(v.y); }
/// \}

/// \name Comparisons
/// \{

/// \details The "u" forms are true where an operand is NaN, the others false.
TOLLGATE_HALF_COMPARE(__nv_bfloat16, __nv_bfloat162, __bfloat162float)
/// \}

/// \name Smaller and larger
/// \{

/// \details The other operand where one is NaN; the _nan forms give NaN.
TOLLGATE_HALF_EXTREMES(__nv_bfloat16, __nv_bfloat162, __bfloat162float)
/// \}

/// \name Arithmetic
/// \{

/// \details As in the CUDA Math API.
TOLLGATE_BOTH __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  unsigned short out;
  asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(out) : "h"(a.bits), "h"(b.bits), "h"(c.bits));
  return __ushort_as_bfloat16(out);
#else
  return __nv_bfloat16(static_cast<double>(__bfloat162float(a)) * __bfloat162float(b) + __bfloat162float(c));
#endif
}

TOLLGATE_HALF_ARITHMETIC(__nv_bfloat16, __nv_bfloat162, __float2bfloat16_rn, __bfloat162float)
TOLLGATE_HALF_FUNCTIONS(__nv_bfloat16, __nv_bfloat162, __float2bfloat16_rn, __bfloat162float)
/// \}

/// \name Shuffles
/// \{

/// \details As in the CUDA C++ Programming Guide.
TOLLGATE_HALF_SHUFFLES(__nv_bfloat16, __nv_bfloat162)
/// \}

/// \name Atomics
/// \{

/// \details The old value is returned.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
TOLLGATE_HALF_ATOMICS(__nv_bfloat16, __nv_bfloat162, "bf16")
#else
// Before sm_90 there is no such instruction: a compare-and-swap of the word that holds the value.
TOLLGATE_DEVICE __nv_bfloat162 atomicAdd(__nv_bfloat162* p, __nv_bfloat162 v) {
  unsigned int* word = reinterpret_cast<unsigned int*>(p);
  for (unsigned int seen = *static_cast<volatile unsigned int*>(word);;) {
    const unsigned int sum = __builtin_bit_cast(unsigned int, __builtin_bit_cast(__nv_bfloat162, seen) + v);
    const unsigned int old = atomicCAS(word, seen, sum);
    if (old == seen) return __builtin_bit_cast(__nv_bfloat162, old);
    seen = old;
  }
}
TOLLGATE_DEVICE __nv_bfloat16 atomicAdd(__nv_bfloat16* p, __nv_bfloat16 v) {
  const unsigned long long address = reinterpret_cast<unsigned long long>(p);
  unsigned int* word = reinterpret_cast<unsigned int*>(address & ~3ull);
  const unsigned int shift = (address & 2ull) != 0 ? 16 : 0;
  for (unsigned int seen = *static_cast<volatile unsigned int*>(word);;) {
    const __nv_bfloat16 before = __ushort_as_bfloat16(static_cast<unsigned short>(seen >> shift));
    const unsigned int after = (seen & ~(0xffffu << shift)) | static_cast<unsigned int>((before + v).bits) << shift;
    const unsigned int old = atomicCAS(word, seen, after);
    if (old == seen) return before;
    seen = old;
  }
}
#endif
/// \}

/// \}
