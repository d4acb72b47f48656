#include "soft_float.h"

namespace tollgate::test {
namespace {

using Wide = unsigned __int128;

int bit_length(Wide value) {
  int length = 0;
  for (; value != 0; value >>= 1) ++length;
  return length;
}

// Shifts right, keeping "something was lost" in the lowest bit.
Wide shift_sticky(Wide value, int by) {
  if (by <= 0) return value << -by;
  if (by > 127) return value != 0;
  const Wide lost = value & ((Wide{1} << by) - 1);
  return (value >> by) | (lost != 0);
}

// Whether to round the magnitude up, given the bits below the last place.
bool round_up(Wide below, int places, bool odd, bool negative, Mode mode) {
  if (below == 0) return false;
  const Wide half = Wide{1} << (places - 1);
  switch (mode) {
  case Mode::Nearest: return below > half || (below == half && odd);
  case Mode::AwayTies: return below >= half;
  case Mode::Zero: return false;
  case Mode::Down: return negative;
  case Mode::Up: return !negative;
  }
  return false;
}

} // namespace

Exact decode(uint64_t bits, Format format) {
  Exact value;
  value.negative = (bits & format.sign()) != 0;
  const uint64_t size = bits & (format.sign() - 1);
  if (size >= format.infinity()) {
    value.kind = size == format.infinity() ? Exact::Kind::Infinite : Exact::Kind::NaN;
    return value;
  }
  const int exponent = static_cast<int>(size >> format.mantissa);
  value.magnitude = size & ((uint64_t{1} << format.mantissa) - 1);
  if (exponent > 0) value.magnitude |= uint64_t{1} << format.mantissa;
  value.exponent = (exponent > 0 ? exponent : 1) - format.bias() - static_cast<int>(format.mantissa);
  return value;
}

Exact from_integer(__int128 integer) {
  Exact value;
  value.negative = integer < 0;
  value.magnitude = static_cast<Wide>(integer < 0 ? -integer : integer);
  return value;
}

Exact negate(Exact a) {
  a.negative = !a.negative;
  return a;
}

Exact multiply(const Exact& a, const Exact& b) {
  using Kind = Exact::Kind;
  Exact product;
  product.negative = a.negative != b.negative;
  const bool zero = (a.kind == Kind::Finite && a.magnitude == 0) || (b.kind == Kind::Finite && b.magnitude == 0);
  if (a.kind == Kind::NaN || b.kind == Kind::NaN)
    product.kind = Kind::NaN;
  else if (a.kind == Kind::Infinite || b.kind == Kind::Infinite)
    product.kind = zero ? Kind::NaN : Kind::Infinite;
  product.magnitude = a.magnitude * b.magnitude;
  product.exponent = a.exponent + b.exponent;
  return product;
}

Exact add(const Exact& a, const Exact& b, Mode mode) {
  using Kind = Exact::Kind;
  if (a.kind != Kind::Finite || b.kind != Kind::Finite) {
    if (a.kind == Kind::NaN || b.kind == Kind::NaN) return {Kind::NaN};
    if (a.kind == b.kind && a.negative != b.negative) return {Kind::NaN};
    return a.kind == Kind::Infinite ? a : b;
  }
  if (a.magnitude == 0 && b.magnitude == 0) {
    const bool negative = a.negative == b.negative ? a.negative : mode == Mode::Down;
    return {Kind::Finite, negative};
  }
  if (a.magnitude == 0) return b;
  if (b.magnitude == 0) return a;
  // The operand with the higher leading bit moves up to bit 120; the other one to the same exponent, sticky below.
  const bool a_leads = bit_length(a.magnitude) + a.exponent >= bit_length(b.magnitude) + b.exponent;
  const Exact& lead = a_leads ? a : b;
  const Exact& other = a_leads ? b : a;
  const int up = 120 - bit_length(lead.magnitude);
  Exact sum;
  sum.exponent = lead.exponent - up;
  const Wide x = lead.magnitude << up;
  const Wide y = shift_sticky(other.magnitude, sum.exponent - other.exponent);
  if (lead.negative == other.negative) {
    sum.negative = lead.negative;
    sum.magnitude = x + y;
  } else {
    sum.negative = x >= y ? lead.negative : other.negative;
    sum.magnitude = x >= y ? x - y : y - x;
    if (sum.magnitude == 0) sum.negative = mode == Mode::Down;
  }
  return sum;
}

uint64_t encode(const Exact& value, Format format, Mode mode) {
  if (value.kind == Exact::Kind::NaN) return format.sign() - 1;
  const uint64_t sign = value.negative ? format.sign() : 0;
  if (value.kind == Exact::Kind::Infinite) return sign | format.infinity();
  if (value.magnitude == 0) return sign;
  const int least = 1 - format.bias() - static_cast<int>(format.mantissa); // exponent of the last place of a subnormal
  const int leading = bit_length(value.magnitude) + value.exponent - 1;
  int last_place = leading - static_cast<int>(format.mantissa);
  if (last_place < least) last_place = least;
  const int drop = last_place - value.exponent;
  Wide kept = shift_sticky(value.magnitude, drop);
  if (drop > 0) {
    const int places = drop > 126 ? 126 : drop;
    const Wide magnitude = drop > 126 ? Wide{1} : value.magnitude;
    kept = drop > 126 ? 0 : magnitude >> places;
    const Wide below = magnitude & ((Wide{1} << places) - 1);
    if (round_up(below, places, kept & 1, value.negative, mode)) ++kept;
  }
  if (kept >> (format.mantissa + 1)) { // rounded up to the next power of two
    kept >>= 1;
    ++last_place;
  }
  const bool normal = kept >> format.mantissa;
  const int exponent = normal ? last_place + format.bias() + static_cast<int>(format.mantissa) : 0;
  const uint64_t infinity = format.infinity();
  const int top = static_cast<int>(infinity >> format.mantissa);
  if (exponent >= top) {
    const bool to_infinity = mode == Mode::Nearest || mode == Mode::AwayTies || (mode == Mode::Up && !value.negative) ||
                             (mode == Mode::Down && value.negative);
    return sign | (to_infinity ? infinity : infinity - 1);
  }
  const uint64_t fraction = static_cast<uint64_t>(kept) & ((uint64_t{1} << format.mantissa) - 1);
  return sign | static_cast<uint64_t>(exponent) << format.mantissa | fraction;
}

} // namespace tollgate::test
