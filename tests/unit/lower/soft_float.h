// A reference for floating point written with integers only: exact values, rounded once to any binary format.
#pragma once

#include <cstdint>

namespace tollgate::test {

enum class Mode { Nearest, Zero, Down, Up, AwayTies };

struct Format {
  unsigned width;
  unsigned mantissa;
  [[nodiscard]] int bias() const { return (1 << (width - 2 - mantissa)) - 1; }
  [[nodiscard]] uint64_t infinity() const { return ((uint64_t{1} << (width - 1 - mantissa)) - 1) << mantissa; }
  [[nodiscard]] uint64_t sign() const { return uint64_t{1} << (width - 1); }
  [[nodiscard]] bool is_nan(uint64_t bits) const { return (bits & (sign() - 1)) > infinity(); }
  [[nodiscard]] bool is_inf(uint64_t bits) const { return (bits & (sign() - 1)) == infinity(); }
};
inline constexpr Format f16{16, 10}, bf16{16, 7}, f32{32, 23}, f64{64, 52};

// (-1)^negative * magnitude * 2^exponent, or infinity or NaN. The lowest bit may be sticky ("something below").
struct Exact {
  enum class Kind { Finite, Infinite, NaN } kind = Kind::Finite;
  bool negative = false;
  unsigned __int128 magnitude = 0;
  int exponent = 0;
};

Exact decode(uint64_t bits, Format format);
Exact from_integer(__int128 value);
Exact multiply(const Exact& a, const Exact& b);
Exact add(const Exact& a, const Exact& b, Mode mode = Mode::Nearest); // the mode decides the sign of x - x
Exact negate(Exact a);
// NaN gives all ones below the sign, as the hardware has it.
uint64_t encode(const Exact& value, Format format, Mode mode = Mode::Nearest);

} // namespace tollgate::test
