// The rules from sample to bin, as the host computes them, against exact fractions and directed rounding: many levels,
// edges first. (That the device computes the same is the matter of even.cu.)
#include "reference.h"

using namespace test;
using namespace tollgate::detail;

template <class Rule, class T> long long bin_of(const Rule& rule, T x) {
  uint32_t key = 0;
  if (!rule(x, key)) return -1;
  return key < rule.bins ? key : static_cast<long long>(rule.bins) - 1;
}

template <class Rule, class T, class L>
void compare(const Rule& rule, T x, L lower, L upper, uint32_t bins, bool closed) {
  const long long got = bin_of(rule, x), want = even_bin(x, lower, upper, static_cast<int>(bins), closed);
  expect(got == want, std::to_string(number(x)) + " in " + std::to_string(bins) + " bins of " +
                          std::to_string(number(lower)) + " to " + std::to_string(number(upper)) + ": bin " +
                          std::to_string(got) + " instead of " + std::to_string(want));
}

// An edge or its neighbour, or anything between and a little beyond the levels.
template <class T> T integer_near(std::mt19937_64& random, int64_t lower, uint64_t span, uint32_t bins) {
  if (random() % 2 == 0) {
    const __int128 edge = (static_cast<__int128>(random() % (bins + 1)) * span + bins - 1) / bins;
    return static_cast<T>(lower + static_cast<int64_t>(edge) - static_cast<int64_t>(random() % 2));
  }
  return static_cast<T>(lower + static_cast<int64_t>(random() % (span + 3)) - 1);
}

void long_rules(std::mt19937_64& random) {
  for (int i = 0; i < 20000; ++i) {
    const int64_t lower = static_cast<int64_t>(random() >> (random() % 64));
    const uint64_t span = random() >> (random() % 62 + 2);
    const int64_t upper = static_cast<int64_t>(static_cast<uint64_t>(lower) + span);
    if (upper <= lower) continue;
    const uint32_t bins = 1 + random() % (1u << (random() % 24 + 1));
    const bool closed = random() % 2 == 0;
    const IntegerRange<int64_t> range(lower, upper, closed);
    for (int j = 0; j < 10; ++j) {
      const int64_t x = integer_near<int64_t>(random, lower, span, bins);
      compare(any_rule(range, bins), x, lower, upper, bins, closed);
      if (fits_long(range, bins)) compare(long_rule(range, bins), x, lower, upper, bins, closed);
    }
  }
}

void narrow_rules(std::mt19937_64& random) {
  for (int i = 0; i < 20000; ++i) {
    const int64_t lower = static_cast<int32_t>(random());
    const uint64_t span = 2 + (random() >> (random() % 31 + 33));
    const int64_t upper = lower + static_cast<int64_t>(span);
    const uint32_t bins = 1 + random() % (span - 1);
    const bool closed = random() % 2 == 0;
    const IntegerRange<int32_t> range(lower, upper, closed);
    if (range.empty() || range.values() > (__int128{1} << 32) || bins >= (1u << 31)) continue;
    for (int j = 0; j < 10; ++j) {
      const int32_t x = integer_near<int32_t>(random, lower, span, bins);
      compare(narrow_rule(range, bins), x, lower, upper, bins, closed);
    }
  }
}

void short_rules(std::mt19937_64& random) {
  for (int i = 0; i < 20000; ++i) {
    const int lower = static_cast<int>(random() % 200000) - 70000, span = 2 + static_cast<int>(random() % 65535);
    const uint32_t bins = 1 + random() % (span - 1);
    const IntegerRange<uint16_t> range(lower, lower + span, false);
    if (range.empty()) continue;
    for (int j = 0; j < 10; ++j) {
      compare(short_rule(range, bins), static_cast<uint16_t>(random()), lower, lower + span, bins, false);
    }
  }
}

template <class F> void float_rules(std::mt19937_64& random) {
  for (int i = 0; i < 30000; ++i) {
    const F lower = from_bits<F>(random()), upper = from_bits<F>(random());
    const uint32_t bins = 1 + random() % (1u << (random() % 20 + 1));
    const bool closed = random() % 2 == 0;
    EvenFloatBins<F, F> rule;
    if (!float_rule(lower, upper, bins, closed, rule)) continue;
    for (int j = 0; j < 10; ++j) {
      const F x = random() % 2 == 0 ? lower + (upper - lower) * (static_cast<F>(random() % (bins + 1)) / bins)
                                    : from_bits<F>(random());
      compare(rule, x, lower, upper, bins, closed);
    }
  }
}

int main() {
  std::mt19937_64 random(9);
  long_rules(random);
  narrow_rules(random);
  short_rules(random);
  float_rules<float>(random);
  float_rules<double>(random);
  return finish("rules");
}
