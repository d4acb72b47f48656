// The 8-bit formats e4m3 (no infinities, 0x7f is NaN, largest 448) and e5m2 (largest finite 57344) of PTX ISA 5.2.3.
// Conversions to them round to nearest even and saturate to the largest finite value; NaN gives 0x7f.
#include "rtlib/twins.h"

#include <bit>
#include <cstdint>

namespace tollgate::rtlib {
namespace {

// Rounds |value| to `Mantissa` bits with exponent bias `Bias`; `Largest` is the code of the largest finite value.
// Adding a power of two that makes the last place of the target the last place of the sum rounds to nearest even.
template <int Mantissa, int Bias, uint32_t Largest> inline uint32_t encode(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 24) & 0x80;
  const uint32_t size = bits & 0x7fffffffu;
  constexpr uint32_t shift = 23 - Mantissa;
  const uint32_t even = (size >> shift) & 1;
  const uint32_t rounded = (size + (1u << (shift - 1)) - 1 + even) >> shift;
  const uint32_t normal = rounded - ((127u - Bias) << Mantissa);
  // In the subnormal range one unit is 2^(1 - Bias - Mantissa).
  constexpr float magic = std::bit_cast<float>(static_cast<uint32_t>(127 + 23 + 1 - Bias - Mantissa) << 23);
  const float sum = std::bit_cast<float>(size) + magic;
  const uint32_t subnormal = std::bit_cast<uint32_t>(sum) - std::bit_cast<uint32_t>(magic);
  constexpr uint32_t least_normal = static_cast<uint32_t>(127 + 1 - Bias) << 23;
  uint32_t code = size < least_normal ? subnormal : normal;
  code = code > Largest ? Largest : code;
  code |= sign;
  return size > 0x7f800000u ? 0x7fu : code;
}

template <int Mantissa, int Bias, uint32_t NanFrom, bool HasInfinity> inline float decode(uint32_t byte) {
  const uint32_t sign = (byte & 0x80) << 24;
  const uint32_t size = byte & 0x7f;
  // Placed in an f32 the value is too small by a power of two; multiplying puts subnormals right as well.
  constexpr float scale = std::bit_cast<float>(static_cast<uint32_t>(127 + 127 - Bias) << 23);
  uint32_t bits = std::bit_cast<uint32_t>(std::bit_cast<float>(size << (23 - Mantissa)) * scale);
  if (HasInfinity) bits = size == NanFrom - 1 ? 0x7f800000u : bits;
  bits |= sign;
  return std::bit_cast<float>(size >= NanFrom ? 0x7fffffffu : bits);
}

inline uint32_t e4m3_from_f32(float value) { return encode<3, 7, 0x7e>(value); }
inline uint32_t e5m2_from_f32(float value) { return encode<2, 15, 0x7b>(value); }
inline float f32_from_e4m3(uint32_t byte) { return decode<3, 7, 0x7f, false>(byte); }
inline float f32_from_e5m2(uint32_t byte) { return decode<2, 15, 0x7d, true>(byte); }

const Function rows[] = {
    row<e4m3_from_f32>("e4m3_from_f32"),
    row<e5m2_from_f32>("e5m2_from_f32"),
    row<f32_from_e4m3>("f32_from_e4m3"),
    row<f32_from_e5m2>("f32_from_e5m2"),
};

} // namespace

std::span<const Function> byte_float_functions() { return rows; }

} // namespace tollgate::rtlib
