// From a sample to its bin. Every rule here runs on a host and on a device with the same result.
//
// A rule has `width()`, the number of keys it gives, and `operator()(sample, key)`, false where the sample belongs
// nowhere (the key then has no meaning). A rule for B bins may give key B for the last bin. The greatest key, width() -
// 1, is where the kernels put samples that belong nowhere.
//
// For equal widths, bin b of B over [lower, upper) holds the samples x with b <= (x - lower) * B / (upper - lower) < b
// + 1: exactly so for integers; for floating point with x - lower and the product rounded down and the scale rounded
// up, so that a sample equal to an edge belongs to the bin that the edge opens. NaN is in no bin, infinities are
// outside.
#pragma once
#include "numeric.h"

namespace tollgate::detail {

// The bytes themselves: the table counts all 256 values, and bins are made of them when the table is flushed.
template <class T> struct ByteKeys {
  using Sample = T;
  __host__ __device__ uint32_t width() const { return 256; }
  __host__ __device__ bool operator()(T x, uint32_t& key) const {
    key = static_cast<uint8_t>(x);
    return true;
  }
};

// sample - first, for samples in [first, first + last]; `skip` keys stand before the first value of the type.
template <class T> struct OffsetKeys {
  using Sample = T;
  using Word = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  Word first;
  Word last;
  uint32_t skip;
  uint32_t keys;
  __host__ __device__ uint32_t width() const { return keys + 1; }
  __host__ __device__ bool operator()(T x, uint32_t& key) const {
    const Word offset = static_cast<Word>(x) - first;
    key = static_cast<uint32_t>(offset) + skip;
    return offset <= last;
  }
};

// Equal bins over integers of 16 bits, the upper level excluded: floor(d * B / R) with a 32-bit reciprocal, exact as d
// <= R <= 2^16. Levels that such samples can meet lie so close that sample - lower cannot wrap into the range.
template <class T> struct EvenShortBins {
  using Sample = T;
  uint32_t lower;
  uint32_t range;
  uint32_t bins;
  uint32_t reciprocal; // ceil(2^32 * B / R), with B < R
  __host__ __device__ uint32_t width() const { return bins + 1; }
  __host__ __device__ bool operator()(T x, uint32_t& key) const {
    const uint32_t d = static_cast<uint32_t>(x) - lower;
    key = static_cast<uint32_t>((static_cast<uint64_t>(d) * reciprocal) >> 32);
    return d < range;
  }
  // The key of d = R is B: a minimum does the work of a comparison and a selection.
  __device__ uint32_t key_or_rest(T x) const {
    const uint32_t d = static_cast<uint32_t>(x) - lower;
    return __umulhi(d < range ? d : range, reciprocal);
  }
};

// The same over integers of up to 32 bits with a 64-bit reciprocal, exact as d <= R < 2^32.
template <class T> struct EvenIntBins {
  using Sample = T;
  uint32_t first;
  uint32_t last;
  uint32_t skip;
  uint32_t bins;
  uint32_t reciprocal_high; // ceil(2^64 * B / R), with B < R
  uint32_t reciprocal_low;
  __host__ __device__ uint32_t width() const { return bins + 2; }
  __host__ __device__ bool operator()(T x, uint32_t& key) const {
    const uint32_t offset = static_cast<uint32_t>(x) - first;
    const uint32_t d = offset + skip;
    const uint32_t low = multiply_high(d, reciprocal_low);
    key = multiply_add_high(d, reciprocal_high, low);
    return offset <= last;
  }
};

// The same over 64-bit integers where R * B < 2^63: a reciprocal of 64 bits behind the point of 2^(64 + shift) > R^2.
template <class T> struct EvenLongBins {
  using Sample = T;
  uint64_t first;
  uint64_t last;
  uint64_t skip;
  uint64_t reciprocal; // ceil(2^(64 + shift) * B / R), with B < R
  uint32_t shift;
  uint32_t bins;
  __host__ __device__ uint32_t width() const { return bins + 2; }
  __host__ __device__ bool operator()(T x, uint32_t& key) const {
    const uint64_t offset = static_cast<uint64_t>(x) - first;
    key = static_cast<uint32_t>(multiply_high(offset + skip, reciprocal) >> shift);
    return offset <= last;
  }
};

// The same for every integer type, number of bins and range: a 128-bit reciprocal where B < R, exact as d < R <= 2^64,
// and a division where there are more bins than values.
template <class T> struct EvenAnyBins {
  using Sample = T;
  uint64_t first;
  uint64_t last;
  uint64_t skip;
  uint64_t reciprocal_high;
  uint64_t reciprocal_low;
  uint32_t bins;
  uint32_t range; // where bins >= range
  bool stretched; // bins >= range
  bool none;      // no value of the type lies between the levels
  __host__ __device__ uint32_t width() const { return bins + 2; }
  __host__ __device__ bool operator()(T x, uint32_t& key) const {
    const uint64_t offset = static_cast<uint64_t>(x) - first;
    const bool inside = offset <= last && !none;
    const uint64_t d = inside ? offset + skip : 0;
    const uint32_t bin = stretched ? static_cast<uint32_t>(d * bins / range) : scaled(d);
    key = bin;
    return inside;
  }
  __host__ __device__ uint32_t scaled(uint64_t d) const {
    const uint64_t low = d * reciprocal_high;
    const uint64_t carry = low + multiply_high(d, reciprocal_low) < low ? 1 : 0;
    return static_cast<uint32_t>(multiply_high(d, reciprocal_high) + carry);
  }
};

template <class T, class F> struct EvenFloatBins {
  using Sample = T;
  F lower;
  F greatest; // the greatest value that counts
  F scale;
  uint32_t bins;
  __host__ __device__ uint32_t width() const { return bins + 2; }
  __host__ __device__ bool operator()(T x, uint32_t& key) const {
    const F value = to_float<F>(x);
    const bool inside = value >= lower && value <= greatest;
    key = inside ? static_cast<uint32_t>(multiply_down(subtract_down(value, lower), scale)) : 0;
    return inside;
  }
  // The key, the greatest where the sample belongs nowhere. Below `lower` the floor is negative, as unsigned a great
  // number; NaN fails the comparison.
  __device__ uint32_t key_or_rest(T x) const {
    const F value = to_float<F>(x);
    const F scaled = multiply_down(subtract_down(value, lower), scale);
    const uint32_t floor = static_cast<uint32_t>(floor_to_int(scaled));
    const uint32_t counted = value <= greatest ? floor : bins + 1;
    return counted < bins + 1 ? counted : bins + 1;
  }
  __device__ static int floor_to_int(float x) { return __float2int_rd(x); }
  __device__ static int floor_to_int(double x) { return __double2int_rd(x); }
};

// Bins between given levels, found by bisection. `levels` is device memory, or shared memory once staged.
template <class T, class L> struct RangeBins {
  using Sample = T;
  static constexpr bool floating = is_float<T> || is_float<L>;
  using Value = common_float<T, L>;
  const L* levels;
  uint32_t bins;
  uint32_t half; // the greatest power of two <= bins
  bool closed;
  __host__ __device__ uint32_t width() const { return bins + 2; }

  __host__ __device__ static bool reaches(T x, L level) { // level <= x
    if constexpr (floating) {
      return to_float<Value>(level) <= to_float<Value>(x);
    } else if constexpr (std::is_unsigned_v<T> && std::is_signed_v<L>) {
      return level < 0 || static_cast<uint64_t>(level) <= x;
    } else if constexpr (std::is_signed_v<T> && std::is_unsigned_v<L>) {
      return x >= 0 && level <= static_cast<uint64_t>(x);
    } else {
      return level <= x;
    }
  }
  __host__ __device__ static bool equals(T x, L level) {
    if constexpr (floating) {
      return to_float<Value>(level) == to_float<Value>(x);
    } else {
      return static_cast<uint64_t>(x) == static_cast<uint64_t>(level) && (x < T(1)) == (level < L(1));
    }
  }
  __host__ __device__ bool operator()(T x, uint32_t& key) const {
    uint32_t at = 0;
    for (uint32_t step = half; step != 0; step >>= 1) {
      if (at + step < bins && reaches(x, levels[at + step])) at += step;
    }
    key = at;
    return reaches(x, levels[0]) && (!reaches(x, levels[bins]) || (closed && equals(x, levels[bins]))) && !unordered(x);
  }
  __host__ __device__ static bool unordered(T x) {
    if constexpr (is_float<T>) {
      const auto value = to_float<Value>(x);
      return value != value;
    } else {
      return false;
    }
  }
};

// From a key of the table to a bin of the result.
struct SameBin {
  uint32_t last;
  uint32_t keys; // the key for samples that belong nowhere
  __host__ __device__ bool operator()(uint32_t key, uint32_t& bin) const {
    bin = key < last ? key : last;
    return key < keys;
  }
};

// More bins than values: bin floor(key * bins / range).
struct StretchedBin {
  uint32_t bins;
  uint32_t range;
  uint32_t keys; // the key for samples that belong nowhere
  __host__ __device__ bool operator()(uint32_t key, uint32_t& bin) const {
    bin = bins == range ? key : static_cast<uint32_t>(static_cast<uint64_t>(key) * bins / range);
    if (bin >= bins) bin = bins - 1;
    return key < keys;
  }
};

// The bin of a byte value, by any rule for bytes.
template <class Rule> struct ByteBin {
  Rule rule;
  __host__ __device__ bool operator()(uint32_t key, uint32_t& bin) const {
    const bool inside = rule(static_cast<typename Rule::Sample>(static_cast<uint8_t>(key)), bin);
    if (bin >= rule.bins) bin = rule.bins - 1;
    return inside;
  }
};

template <class Rule, class = void> inline constexpr bool has_rest_key = false;
template <class Rule> inline constexpr bool has_rest_key<Rule, std::void_t<decltype(&Rule::key_or_rest)>> = true;
template <class Rule> inline constexpr bool counts_all = false;
template <class T> inline constexpr bool counts_all<ByteKeys<T>> = true;

// The key of a sample, the last key where it belongs nowhere.
template <class Rule> __device__ inline uint32_t key_of(const Rule& rule, typename Rule::Sample x) {
  if constexpr (has_rest_key<Rule>) {
    return rule.key_or_rest(x);
  } else {
    uint32_t key;
    const bool counts = rule(x, key);
    return counts || counts_all<Rule> ? key : rule.width() - 1;
  }
}

} // namespace tollgate::detail
