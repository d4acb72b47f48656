// What sums of weights must be, computed by other means than the library's: in long double, whose range and 64 bits of
// mantissa hold every weight times its power of two exactly.
#pragma once
#include "reference.h"

#include <algorithm>
#include <cstring>

namespace test {

template <class W> struct Units {
  int power = 0;    // a unit is 2^-power
  long double most; // what the bound is
  Units(W bound, uint64_t weights) {
    int spare = 0;
    while (spare < 31 && std::ldexp(1.0L, 32 + spare) < static_cast<long double>(weights)) ++spare;
    int above = 0;
    std::frexp(static_cast<long double>(bound), &above);
    power = 31 - spare - above;
    most = std::ldexp(1.0L, 31 - spare) - 1;
    most = of(bound);
  }
  long double of(W weight) const {
    if (std::isnan(weight)) return 0;
    const long double units = std::nearbyint(std::ldexp(static_cast<long double>(weight), power));
    return std::max(-most, std::min(units, most));
  }
  double sum(long long units) const { return static_cast<double>(std::ldexp(static_cast<long double>(units), -power)); }
};
template <> struct Units<int> {
  Units(int, uint64_t) {}
  long double of(int weight) const { return weight; }
  long long sum(long long units) const { return units; }
};

template <class W> W bound_of(const std::vector<W>& weights) {
  W most = 0;
  for (const W w : weights) {
    if (!std::isnan(w)) most = std::max(most, std::min(std::abs(w), std::numeric_limits<W>::max()));
  }
  return most;
}

// A vector of what tollgate stores: doubles, or 64-bit integers for int weights. `bin_of` gives -1 for none.
template <class Sum, class T, class W, class BinOf>
std::vector<Sum> weighted_sums(const std::vector<T>& samples, const std::vector<W>& weights, int bins, W bound,
                               BinOf bin_of, uint64_t total = 0) {
  const Units<W> units(bound, total == 0 ? samples.size() : total);
  std::vector<long long> fixed(bins, 0);
  for (size_t i = 0; i < samples.size(); ++i) {
    const long long bin = bin_of(samples[i]);
    if (bin >= 0) fixed[bin] += static_cast<long long>(units.of(weights[i]));
  }
  std::vector<Sum> sums(bins);
  for (int b = 0; b < bins; ++b) sums[b] = static_cast<Sum>(units.sum(fixed[b]));
  return sums;
}

// Within the bound but for `odd`: then every eighth is NaN, infinite, zero, the smallest of all, or beyond the bound.
template <class W> std::vector<W> random_weights(std::mt19937_64& random, size_t n, W bound, bool odd) {
  std::vector<W> weights(n);
  for (W& w : weights) {
    w = static_cast<W>(static_cast<long double>(bound) * ((random() >> 11) * 0x1p-52L - 1));
    if constexpr (std::is_floating_point_v<W>) {
      const W oddities[] = {W(NAN),
                            W(INFINITY),
                            W(-INFINITY),
                            W(0),
                            std::numeric_limits<W>::denorm_min(),
                            W(-2) * bound,
                            std::numeric_limits<W>::max(),
                            bound};
      if (odd && random() % 8 == 0) w = oddities[random() % 8];
    }
  }
  return weights;
}

template <class Sum> bool same_bits(const std::vector<Sum>& a, const std::vector<Sum>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Sum)) == 0;
}

inline std::string exactly(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%a", x);
  return text;
}

template <class Sum>
void expect_sums(const std::vector<Sum>& got, const std::vector<Sum>& want, const std::string& what) {
  if (same_bits(got, want)) return;
  size_t bin = 0;
  while (same_bits<Sum>({got[bin]}, {want[bin]})) ++bin;
  expect(false, what + ": bin " + std::to_string(bin) + ": " + exactly(static_cast<double>(got[bin])) + " instead of " +
                    exactly(static_cast<double>(want[bin])));
}

} // namespace test
