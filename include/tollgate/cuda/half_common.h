// What the 16-bit floating-point headers share: the functions of one value and of two are the same for both formats, by
// the names of the CUDA Math API. Each header defines the type, its conversions and the few operations that round.
#pragma once

#include "cuda_runtime.h"

#define TOLLGATE_BOTH static __inline__ __attribute__((always_inline, host, device))

#define TOLLGATE_BOTH_MEMBER __inline__ __attribute__((always_inline, host, device))

namespace tollgate_half {

// Transcendental functions in single precision: more than enough for 8 or 11 bits of result. Argument reduction in two
// steps, since sin.approx and cos.approx are exact to 2^-20 near zero only.
TOLLGATE_DEVICE float exp2(float v) {
  float out;
  asm("ex2.approx.f32 %0, %1;" : "=f"(out) : "f"(v));
  return out;
}
TOLLGATE_DEVICE float log2(float v) {
  float out;
  asm("lg2.approx.f32 %0, %1;" : "=f"(out) : "f"(v));
  return out;
}
TOLLGATE_DEVICE float reduced(float v) {
  const float turns = __builtin_rintf(v * 0.15915494309f);
  return __builtin_fmaf(turns, 1.7484555e-7f, __builtin_fmaf(turns, -6.2831855f, v));
}
TOLLGATE_DEVICE float sin(float v) {
  float out;
  asm("sin.approx.f32 %0, %1;" : "=f"(out) : "f"(reduced(v)));
  return out;
}
TOLLGATE_DEVICE float cos(float v) {
  float out;
  asm("cos.approx.f32 %0, %1;" : "=f"(out) : "f"(reduced(v)));
  return out;
}
TOLLGATE_DEVICE float tanh(float v) {
  const float size = __builtin_fabsf(v);
  if (size < 0.0625f) return v - v * v * v * 0.33333333f; // where the quotient below would cancel
  const float square = exp2(-2.885390082f * size);
  return __builtin_copysignf((1.0f - square) / (1.0f + square), v);
}

} // namespace tollgate_half

// TYPE: one value, PAIR: two; FROM: from float, rounding to nearest; TO: to float.
#define TOLLGATE_HALF_COMPARE(TYPE, PAIR, TO)                                                                          \
  TOLLGATE_BOTH bool operator==(TYPE a, TYPE b) { return TO(a) == TO(b); }                                             \
  TOLLGATE_BOTH bool operator!=(TYPE a, TYPE b) { return TO(a) != TO(b); }                                             \
  TOLLGATE_BOTH bool operator<(TYPE a, TYPE b) { return TO(a) < TO(b); }                                               \
  TOLLGATE_BOTH bool operator<=(TYPE a, TYPE b) { return TO(a) <= TO(b); }                                             \
  TOLLGATE_BOTH bool operator>(TYPE a, TYPE b) { return TO(a) > TO(b); }                                               \
  TOLLGATE_BOTH bool operator>=(TYPE a, TYPE b) { return TO(a) >= TO(b); }                                             \
  TOLLGATE_BOTH bool __hisnan(TYPE a) { return TO(a) != TO(a); }                                                       \
  TOLLGATE_HALF_RELATION(TYPE, PAIR, TO, eq, ==)                                                                       \
  TOLLGATE_HALF_RELATION(TYPE, PAIR, TO, ne, !=)                                                                       \
  TOLLGATE_HALF_RELATION(TYPE, PAIR, TO, lt, <)                                                                        \
  TOLLGATE_HALF_RELATION(TYPE, PAIR, TO, le, <=)                                                                       \
  TOLLGATE_HALF_RELATION(TYPE, PAIR, TO, gt, >)                                                                        \
  TOLLGATE_HALF_RELATION(TYPE, PAIR, TO, ge, >=)

// The "u" forms are true where an operand is NaN, the others false (CUDA Math API: unordered comparisons).
#define TOLLGATE_HALF_RELATION(TYPE, PAIR, TO, name, op)                                                               \
  TOLLGATE_BOTH bool __h##name##u(TYPE a, TYPE b) { return __hisnan(a) || __hisnan(b) || TO(a) op TO(b); }             \
  TOLLGATE_BOTH bool __h##name(TYPE a, TYPE b) { return !__hisnan(a) && !__hisnan(b) && TO(a) op TO(b); }              \
  TOLLGATE_BOTH PAIR __h##name##2(PAIR a, PAIR b) {                                                                    \
    return PAIR(TYPE(__h##name(a.x, b.x) ? 1.0f : 0.0f), TYPE(__h##name(a.y, b.y) ? 1.0f : 0.0f));                     \
  }                                                                                                                    \
  TOLLGATE_BOTH PAIR __h##name##u2(PAIR a, PAIR b) {                                                                   \
    return PAIR(TYPE(__h##name##u(a.x, b.x) ? 1.0f : 0.0f), TYPE(__h##name##u(a.y, b.y) ? 1.0f : 0.0f));               \
  }                                                                                                                    \
  TOLLGATE_BOTH bool __hb##name##2(PAIR a, PAIR b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }              \
  TOLLGATE_BOTH bool __hb##name##u2(PAIR a, PAIR b) { return __h##name##u(a.x, b.x) && __h##name##u(a.y, b.y); }

// A result of one operation in single precision, rounded once more, is the correctly rounded one: 24 bits are more than
// twice 11 and two. Multiply-add is not such an operation; the headers define it.
#define TOLLGATE_HALF_ARITHMETIC(TYPE, PAIR, FROM, TO)                                                                 \
  TOLLGATE_HALF_BINARY(TYPE, PAIR, FROM, TO, add, +)                                                                   \
  TOLLGATE_HALF_BINARY(TYPE, PAIR, FROM, TO, sub, -)                                                                   \
  TOLLGATE_HALF_BINARY(TYPE, PAIR, FROM, TO, mul, *)                                                                   \
  TOLLGATE_BOTH TYPE __hdiv(TYPE a, TYPE b) { return FROM(TO(a) / TO(b)); }                                            \
  TOLLGATE_BOTH PAIR __h2div(PAIR a, PAIR b) { return PAIR(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }                      \
  TOLLGATE_BOTH TYPE __hneg(TYPE a) { return tollgate_half::with_bits<TYPE>(tollgate_half::bits(a) ^ 0x8000u); }       \
  TOLLGATE_BOTH TYPE __habs(TYPE a) { return tollgate_half::with_bits<TYPE>(tollgate_half::bits(a) & 0x7fffu); }       \
  TOLLGATE_BOTH PAIR __hneg2(PAIR a) { return PAIR(__hneg(a.x), __hneg(a.y)); }                                        \
  TOLLGATE_BOTH PAIR __habs2(PAIR a) { return PAIR(__habs(a.x), __habs(a.y)); }                                        \
  TOLLGATE_BOTH TYPE operator/(TYPE a, TYPE b) { return __hdiv(a, b); }                                                \
  TOLLGATE_BOTH PAIR operator/(PAIR a, PAIR b) { return __h2div(a, b); }                                               \
  TOLLGATE_BOTH TYPE operator-(TYPE a) { return __hneg(a); }                                                           \
  TOLLGATE_BOTH PAIR operator-(PAIR a) { return __hneg2(a); }                                                          \
  TOLLGATE_BOTH TYPE operator+(TYPE a) { return a; }                                                                   \
  TOLLGATE_BOTH TYPE& operator+=(TYPE& a, TYPE b) { return a = a + b; }                                                \
  TOLLGATE_BOTH TYPE& operator-=(TYPE& a, TYPE b) { return a = a - b; }                                                \
  TOLLGATE_BOTH TYPE& operator*=(TYPE& a, TYPE b) { return a = a * b; }                                                \
  TOLLGATE_BOTH TYPE& operator/=(TYPE& a, TYPE b) { return a = a / b; }                                                \
  TOLLGATE_BOTH PAIR& operator+=(PAIR& a, PAIR b) { return a = a + b; }                                                \
  TOLLGATE_BOTH PAIR& operator-=(PAIR& a, PAIR b) { return a = a - b; }                                                \
  TOLLGATE_BOTH PAIR& operator*=(PAIR& a, PAIR b) { return a = a * b; }                                                \
  TOLLGATE_BOTH TYPE& operator++(TYPE& a) { return a = a + TYPE(1.0f); }                                               \
  TOLLGATE_BOTH TYPE& operator--(TYPE& a) { return a = a - TYPE(1.0f); }                                               \
  TOLLGATE_BOTH PAIR __hfma2(PAIR a, PAIR b, PAIR c) { return PAIR(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }    \
  TOLLGATE_BOTH TYPE __hfma_relu(TYPE a, TYPE b, TYPE c) { return __hmax(__hfma(a, b, c), TYPE(0.0f)); }

#define TOLLGATE_HALF_BINARY(TYPE, PAIR, FROM, TO, name, op)                                                           \
  TOLLGATE_BOTH TYPE __h##name(TYPE a, TYPE b) { return FROM(TO(a) op TO(b)); }                                        \
  TOLLGATE_BOTH TYPE __h##name##_rn(TYPE a, TYPE b) { return __h##name(a, b); }                                        \
  TOLLGATE_BOTH PAIR __h##name##2(PAIR a, PAIR b) { return PAIR(__h##name(a.x, b.x), __h##name(a.y, b.y)); }           \
  TOLLGATE_BOTH PAIR __h##name##2_rn(PAIR a, PAIR b) { return __h##name##2(a, b); }                                    \
  TOLLGATE_BOTH TYPE operator op(TYPE a, TYPE b) { return __h##name(a, b); }                                           \
  TOLLGATE_BOTH PAIR operator op(PAIR a, PAIR b) { return __h##name##2(a, b); }

// The other operand where one is NaN; the _nan forms give NaN.
#define TOLLGATE_HALF_EXTREMES(TYPE, PAIR, TO)                                                                         \
  TOLLGATE_HALF_EXTREME(TYPE, PAIR, TO, min, <)                                                                        \
  TOLLGATE_HALF_EXTREME(TYPE, PAIR, TO, max, >)

#define TOLLGATE_HALF_EXTREME(TYPE, PAIR, TO, name, op)                                                                \
  TOLLGATE_BOTH TYPE __h##name(TYPE a, TYPE b) {                                                                       \
    if (TO(a) != TO(a)) return b;                                                                                      \
    if (TO(b) != TO(b)) return a;                                                                                      \
    return TO(a) op TO(b) ? a : b;                                                                                     \
  }                                                                                                                    \
  TOLLGATE_BOTH TYPE __h##name##_nan(TYPE a, TYPE b) {                                                                 \
    return TO(a) != TO(a) ? a : TO(b) != TO(b) ? b : __h##name(a, b);                                                  \
  }                                                                                                                    \
  TOLLGATE_BOTH PAIR __h##name##2(PAIR a, PAIR b) { return PAIR(__h##name(a.x, b.x), __h##name(a.y, b.y)); }           \
  TOLLGATE_BOTH PAIR __h##name##2_nan(PAIR a, PAIR b) {                                                                \
    return PAIR(__h##name##_nan(a.x, b.x), __h##name##_nan(a.y, b.y));                                                 \
  }

#define TOLLGATE_HALF_FUNCTIONS(TYPE, PAIR, FROM, TO)                                                                  \
  TOLLGATE_HALF_FUNCTION(TYPE, PAIR, FROM, TO, exp, tollgate_half::exp2(v * 1.44269504f))                              \
  TOLLGATE_HALF_FUNCTION(TYPE, PAIR, FROM, TO, exp2, tollgate_half::exp2(v))                                           \
  TOLLGATE_HALF_FUNCTION(TYPE, PAIR, FROM, TO, exp10, tollgate_half::exp2(v * 3.32192809f))                            \
  TOLLGATE_HALF_FUNCTION(TYPE, PAIR, FROM, TO, log, tollgate_half::log2(v) * 0.69314718f)                              \
  TOLLGATE_HALF_FUNCTION(TYPE, PAIR, FROM, TO, log2, tollgate_half::log2(v))                                           \
  TOLLGATE_HALF_FUNCTION(TYPE, PAIR, FROM, TO, log10, tollgate_half::log2(v) * 0.30102999f)                            \
  TOLLGATE_HALF_FUNCTION(TYPE, PAIR, FROM, TO, sin, tollgate_half::sin(v))                                             \
  TOLLGATE_HALF_FUNCTION(TYPE, PAIR, FROM, TO, cos, tollgate_half::cos(v))                                             \
  TOLLGATE_HALF_FUNCTION(TYPE, PAIR, FROM, TO, tanh, tollgate_half::tanh(v))                                           \
  TOLLGATE_HALF_FUNCTION(TYPE, PAIR, FROM, TO, sqrt, sqrtf(v))                                                         \
  TOLLGATE_HALF_FUNCTION(TYPE, PAIR, FROM, TO, rsqrt, 1.0f / sqrtf(v))                                                 \
  TOLLGATE_HALF_FUNCTION(TYPE, PAIR, FROM, TO, rcp, 1.0f / v)                                                          \
  TOLLGATE_HALF_FUNCTION(TYPE, PAIR, FROM, TO, floor, __builtin_floorf(v))                                             \
  TOLLGATE_HALF_FUNCTION(TYPE, PAIR, FROM, TO, ceil, __builtin_ceilf(v))                                               \
  TOLLGATE_HALF_FUNCTION(TYPE, PAIR, FROM, TO, trunc, __builtin_truncf(v))                                             \
  TOLLGATE_HALF_FUNCTION(TYPE, PAIR, FROM, TO, rint, __builtin_rintf(v))

#define TOLLGATE_HALF_FUNCTION(TYPE, PAIR, FROM, TO, name, value)                                                      \
  TOLLGATE_DEVICE TYPE h##name(TYPE a) {                                                                               \
    const float v = TO(a);                                                                                             \
    return FROM(value);                                                                                                \
  }                                                                                                                    \
  TOLLGATE_DEVICE PAIR h2##name(PAIR a) { return PAIR(h##name(a.x), h##name(a.y)); }

#define TOLLGATE_HALF_SHUFFLE(TYPE, PAIR, name)                                                                        \
  TOLLGATE_DEVICE TYPE name(unsigned int mask, TYPE v, int lane, int width = 32) {                                     \
    return tollgate_half::with_bits<TYPE>(name(mask, static_cast<unsigned int>(tollgate_half::bits(v)), lane, width)); \
  }                                                                                                                    \
  TOLLGATE_DEVICE PAIR name(unsigned int mask, PAIR v, int lane, int width = 32) {                                     \
    return __builtin_bit_cast(PAIR, name(mask, __builtin_bit_cast(unsigned int, v), lane, width));                     \
  }
#define TOLLGATE_HALF_SHUFFLES(TYPE, PAIR)                                                                             \
  TOLLGATE_HALF_SHUFFLE(TYPE, PAIR, __shfl_sync)                                                                       \
  TOLLGATE_HALF_SHUFFLE(TYPE, PAIR, __shfl_up_sync)                                                                    \
  TOLLGATE_HALF_SHUFFLE(TYPE, PAIR, __shfl_down_sync)                                                                  \
  TOLLGATE_HALF_SHUFFLE(TYPE, PAIR, __shfl_xor_sync)

// The old value is returned.
#define TOLLGATE_HALF_ATOMICS(TYPE, PAIR, format)                                                                      \
  TOLLGATE_DEVICE TYPE atomicAdd(TYPE* p, TYPE v) {                                                                    \
    unsigned short old;                                                                                                \
    asm volatile("atom.add.noftz." format " %0, [%1], %2;"                                                             \
                 : "=h"(old)                                                                                           \
                 : "l"(p), "h"(tollgate_half::bits(v))                                                                 \
                 : "memory");                                                                                          \
    return tollgate_half::with_bits<TYPE>(old);                                                                        \
  }                                                                                                                    \
  TOLLGATE_DEVICE PAIR atomicAdd(PAIR* p, PAIR v) {                                                                    \
    unsigned int old;                                                                                                  \
    asm volatile("atom.add.noftz." format "x2 %0, [%1], %2;"                                                           \
                 : "=r"(old)                                                                                           \
                 : "l"(p), "r"(__builtin_bit_cast(unsigned int, v))                                                    \
                 : "memory");                                                                                          \
    return __builtin_bit_cast(PAIR, old);                                                                              \
  }

namespace tollgate_half {
template <typename T> TOLLGATE_BOTH unsigned short bits(T v) { return __builtin_bit_cast(unsigned short, v); }
template <typename T> TOLLGATE_BOTH T with_bits(unsigned int v) {
  return __builtin_bit_cast(T, static_cast<unsigned short>(v));
}
} // namespace tollgate_half
