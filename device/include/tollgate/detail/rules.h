// Makes the rules of bins.h from levels, on the host.
#pragma once
#include "bins.h"

#include <limits>

namespace tollgate::detail {

// Integer levels cut to what samples of type T can be.
template <class T> struct IntegerRange {
  __int128 lower, upper; // the levels
  __int128 first, last;  // the values of T that count; first > last: none
  bool closed;

  template <class L>
  IntegerRange(L low, L high, bool include_upper)
      : lower(low), upper(high), first(lower), last(include_upper ? upper : upper - 1), closed(include_upper) {
    if (first < std::numeric_limits<T>::min()) first = std::numeric_limits<T>::min();
    if (last > std::numeric_limits<T>::max()) last = std::numeric_limits<T>::max();
    closed = closed && last == upper; // a level beyond the type is neither in nor out
  }
  bool empty() const { return first > last; }
  __int128 range() const { return upper - lower; }
  // Keys needed to number the values from `lower` on.
  __int128 values() const { return range() + (closed ? 1 : 0); }
};

// ceil(2^128 * bins / range) for bins < range, upper and lower half.
inline void reciprocal_128(uint64_t bins, uint64_t range, uint64_t& high, uint64_t& low) {
  const unsigned __int128 first = static_cast<unsigned __int128>(bins) << 64;
  high = static_cast<uint64_t>(first / range);
  const unsigned __int128 second = (first % range) << 64;
  low = static_cast<uint64_t>(second / range);
  if (second % range != 0 && ++low == 0) ++high;
}

template <class T> EvenAnyBins<T> any_rule(const IntegerRange<T>& r, uint32_t bins) {
  EvenAnyBins<T> rule{};
  rule.first = static_cast<uint64_t>(r.first);
  rule.last = static_cast<uint64_t>(r.last - r.first);
  rule.skip = static_cast<uint64_t>(r.first - r.lower);
  rule.bins = bins;
  rule.none = r.empty();
  rule.stretched = r.range() <= bins;
  if (rule.stretched) {
    rule.range = static_cast<uint32_t>(r.range());
  } else {
    reciprocal_128(bins, static_cast<uint64_t>(r.range()), rule.reciprocal_high, rule.reciprocal_low);
  }
  return rule;
}

// Whether long_rule() is exact. With 2^(64 + shift) > R^2 the error d / 2^(64 + shift) stays below 1 / R.
template <class T> bool fits_long(const IntegerRange<T>& r, uint32_t bins) {
  return !r.empty() && r.range() > bins && r.range() * bins < (__int128{1} << 62) && r.range() < (__int128{1} << 62);
}

template <class T> EvenLongBins<T> long_rule(const IntegerRange<T>& r, uint32_t bins) {
  const uint64_t range = static_cast<uint64_t>(r.range());
  uint32_t shift = 0;
  while (shift < 63 &&
         (static_cast<unsigned __int128>(1) << (64 + shift)) <= static_cast<unsigned __int128>(range) * range) {
    ++shift;
  }
  uint64_t high, low; // of 2^128 * B / R, of which the upper 64 + shift bits are wanted
  reciprocal_128(bins, range, high, low);
  const unsigned __int128 whole = static_cast<unsigned __int128>(high) << 64 | low;
  const uint32_t drop = 64 - shift;
  const uint64_t reciprocal = static_cast<uint64_t>(whole >> drop) + ((whole << (128 - drop)) != 0);
  return {static_cast<uint64_t>(r.first),
          static_cast<uint64_t>(r.last - r.first),
          static_cast<uint64_t>(r.first - r.lower),
          reciprocal,
          shift,
          bins};
}

template <class T> EvenIntBins<T> narrow_rule(const IntegerRange<T>& r, uint32_t bins) {
  EvenIntBins<T> rule{};
  rule.first = static_cast<uint32_t>(r.first);
  rule.last = static_cast<uint32_t>(r.last - r.first);
  rule.skip = static_cast<uint32_t>(r.first - r.lower);
  rule.bins = bins;
  const unsigned __int128 one = static_cast<unsigned __int128>(bins) << 64;
  const uint64_t range = static_cast<uint64_t>(r.range());
  const uint64_t reciprocal = static_cast<uint64_t>((one + range - 1) / range);
  rule.reciprocal_high = static_cast<uint32_t>(reciprocal >> 32);
  rule.reciprocal_low = static_cast<uint32_t>(reciprocal);
  return rule;
}

template <class T> EvenShortBins<T> short_rule(const IntegerRange<T>& r, uint32_t bins) {
  const uint64_t range = static_cast<uint64_t>(r.range());
  return {static_cast<uint32_t>(r.lower), static_cast<uint32_t>(range), bins,
          static_cast<uint32_t>(((uint64_t{bins} << 32) + range - 1) / range)};
}

template <class T> OffsetKeys<T> offset_rule(const IntegerRange<T>& r) {
  using Word = typename OffsetKeys<T>::Word;
  OffsetKeys<T> rule{};
  rule.first = static_cast<Word>(r.first);
  rule.last = static_cast<Word>(r.last - r.first);
  rule.skip = static_cast<uint32_t>(r.first - r.lower);
  rule.keys = static_cast<uint32_t>(r.values());
  return rule;
}

// False where the levels are no finite, increasing pair or so close or far apart that no scale exists.
template <class T, class F> bool float_rule(F lower, F upper, uint32_t bins, bool closed, EvenFloatBins<T, F>& rule) {
  if (!(lower < upper) || !std::isfinite(lower) || !std::isfinite(upper)) return false;
  const F span = subtract_down(upper, lower);
  const double exact = static_cast<double>(bins) / static_cast<double>(span);
  F scale = static_cast<F>(exact);
  const bool short_of =
      sizeof(F) == 4 ? static_cast<double>(scale) < exact
                     : std::fma(static_cast<double>(scale), static_cast<double>(span), -static_cast<double>(bins)) < 0;
  if (short_of) scale = nextafter(scale, F(INFINITY));
  if (!std::isfinite(span) || !std::isfinite(scale) || !(span > 0)) return false;
  rule = {lower, closed ? upper : nextafter(upper, -F(INFINITY)), scale, bins};
  // With so many bins that the rounding of the scale amounts to one, the greatest value must not lie beyond the last.
  const F greatest = subtract_down(rule.greatest, lower);
  while (multiply_down(greatest, rule.scale) >= static_cast<F>(bins) + 1) rule.scale = nextafter(rule.scale, F(0));
  return true;
}

template <class T, class L> RangeBins<T, L> range_rule(const L* levels, uint32_t bins, bool closed) {
  uint32_t half = 1;
  while (half <= bins / 2) half *= 2;
  return {levels, bins, half, closed};
}

} // namespace tollgate::detail
