// The .approx functions of PTX ISA 9.7.3 on f32: branch-free polynomials, a few ulp from the true value, and thereby
// within the manual's bounds (2^-22 for ex2 and lg2, 2^-20 absolute for sin and cos, 2^-11 for tanh). Coefficients are
// Chebyshev fits over the reduced ranges named at each function.
#include "rtlib/twins.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace tollgate::rtlib {
namespace {

inline float from_bits(uint32_t bits) { return std::bit_cast<float>(bits); }
inline uint32_t to_bits(float value) { return std::bit_cast<uint32_t>(value); }
inline float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

// Adding this rounds a float below 2^22 to an integer, which then stands in the low bits.
constexpr float rounder = 0x1.8p23f;

inline float power_of_two(int32_t exponent) { return from_bits(static_cast<uint32_t>(exponent + 127) << 23); }

// 2^x. The fraction lies in [-1/2, 1/2]; the power of two is applied in two steps, so that subnormal results round
// once.
inline float ex2(float x) {
  float clamped = x < -152.0f ? -152.0f : x;
  clamped = clamped > 129.0f ? 129.0f : clamped;
  const float shifted = clamped + rounder;
  const int32_t n = static_cast<int32_t>(to_bits(shifted) - to_bits(rounder));
  const float f = clamped - (shifted - rounder);
  float p = 0x1.444p-13f;
  p = fma(p, f, 0x1.5f48cp-10f);
  p = fma(p, f, 0x1.3b2a1cp-7f);
  p = fma(p, f, 0x1.c6aeccp-5f);
  p = fma(p, f, 0x1.ebfbep-3f);
  p = fma(p, f, 0x1.62e43p-1f);
  p = fma(p, f, 1.0f);
  const int32_t first = n >> 1;
  const float value = p * power_of_two(first) * power_of_two(n - first);
  return x != x ? x : value;
}

// log2(x): x = m * 2^e with m in [sqrt(1/2), sqrt(2)), and log2(m) = f * P(f) with f = m - 1.
inline float lg2(float x) {
  constexpr float least_normal = std::numeric_limits<float>::min();
  const bool subnormal = x < least_normal;
  const float scaled = subnormal ? x * 0x1p23f : x;
  const int32_t offset = static_cast<int32_t>(to_bits(scaled) - 0x3f3504f3u);
  const int32_t e = offset >> 23;
  const float m = from_bits(to_bits(scaled) - (static_cast<uint32_t>(e) << 23));
  const float exponent = static_cast<float>(e) - (subnormal ? 23.0f : 0.0f);
  const float f = m - 1.0f;
  float p = -0x1.b84fb6p-4f;
  p = fma(p, f, 0x1.7a63ap-3f);
  p = fma(p, f, -0x1.87f6a2p-3f);
  p = fma(p, f, 0x1.a38c68p-3f);
  p = fma(p, f, -0x1.eab7aap-3f);
  p = fma(p, f, 0x1.277a52p-2f);
  p = fma(p, f, -0x1.715a7p-2f);
  p = fma(p, f, 0x1.ec70aap-2f);
  p = fma(p, f, -0x1.71547p-1f);
  p = fma(p, f, 0x1.715476p+0f);
  float value = fma(p, f, exponent);
  value = x == std::numeric_limits<float>::infinity() ? x : value;
  value = x == 0.0f ? -std::numeric_limits<float>::infinity() : value;
  value = x < 0.0f ? std::numeric_limits<float>::quiet_NaN() : value;
  return x != x ? x : value;
}

struct Reduced {
  float r;          // in [-pi/4, pi/4], about
  uint32_t quarter; // turns by pi/2
};

// x - k*pi/2 in three steps of fma; exact enough while k fits the rounder, about |x| < 6e6. Beyond that the manual
// bounds no error; r is kept in range so that the result still lies in [-1, 1].
inline Reduced reduce(float x) {
  const float shifted = fma(x, 0x1.45f306p-1f, rounder);
  const float k = shifted - rounder;
  float r = fma(k, -0x1.921fb6p+0f, x);
  r = fma(k, 0x1.777a5cp-25f, r);
  r = fma(k, 0x1.ee59dap-50f, r);
  r = r > 0.7924f ? 0.7924f : r;
  r = r < -0.7924f ? -0.7924f : r;
  return {r, to_bits(shifted)};
}

inline float sine_of_quarter(const Reduced& reduced, uint32_t quarter) {
  const float r = reduced.r;
  const float z = r * r;
  float s = fma(-0x1.9aae86p-13f, z, 0x1.110bf6p-7f);
  s = fma(s, z, -0x1.555552p-3f);
  s = fma(s * z, r, r);
  float c = fma(0x1.9bc2d4p-16f, z, -0x1.6c12aap-10f);
  c = fma(c, z, 0x1.555554p-5f);
  c = fma(c * z, z, fma(-0.5f, z, 1.0f));
  const float value = (quarter & 1) != 0 ? c : s;
  return from_bits(to_bits(value) ^ ((quarter & 2) << 30));
}

// sin keeps the sign of zero and of subnormals; both give NaN for infinities.
inline float sin(float x) {
  const Reduced reduced = reduce(x);
  const float value = sine_of_quarter(reduced, reduced.quarter);
  const float with_zero = x == 0.0f ? x : value;
  return x - x != 0.0f ? std::numeric_limits<float>::quiet_NaN() : with_zero;
}

inline float cos(float x) {
  const Reduced reduced = reduce(x);
  const float value = sine_of_quarter(reduced, reduced.quarter + 1);
  return x - x != 0.0f ? std::numeric_limits<float>::quiet_NaN() : value;
}

// tanh(x) = x + x^3 * P(x^2) below 0.63, 1 - 2 / (2^(2x log2 e) + 1) above.
inline float tanh(float x) {
  const float size = from_bits(to_bits(x) & 0x7fffffffu);
  const float z = size * size;
  float p = -0x1.8c2d0ap-8f;
  p = fma(p, z, 0x1.576e3p-6f);
  p = fma(p, z, -0x1.b91582p-5f);
  p = fma(p, z, 0x1.110dd8p-3f);
  p = fma(p, z, -0x1.555552p-2f);
  const float near_zero = fma(p * z, size, size);
  const float bounded = size > 20.0f ? 20.0f : size;
  const float far = 1.0f - 2.0f / (ex2(bounded * 0x1.715476p+1f) + 1.0f);
  const float value = size < 0.63f ? near_zero : far;
  const float with_sign = from_bits(to_bits(value) | (to_bits(x) & 0x80000000u));
  return x != x ? x : with_sign;
}

const Function rows[] = {
    row<ex2>("ex2_approx_f32"), row<lg2>("lg2_approx_f32"),   row<sin>("sin_approx_f32"),
    row<cos>("cos_approx_f32"), row<tanh>("tanh_approx_f32"),
};

} // namespace

std::span<const Function> transcendental_functions() { return rows; }

} // namespace tollgate::rtlib
