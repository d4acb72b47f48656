// weighted_histogram_even against sums in fixed point on the host, and against itself, run again.
#include "reference.h"

#include <tollgate/weighted_histogram.h>

using namespace test;

template <class T, class W, class Sum, class L> void weighted_case(size_t n, int bins, L lower, L upper, W bound) {
  std::mt19937_64 random(n + bins);
  std::vector<T> samples(n);
  std::vector<W> weights(n);
  std::vector<Sum> want(bins, Sum(0));
  std::vector<long long> fixed(bins, 0);
  int exponent = 0;
  std::frexp(static_cast<double>(bound), &exponent);
  const double scale = std::is_same_v<W, int> ? 1.0 : std::ldexp(1.0, 31 - exponent);
  for (size_t i = 0; i < n; ++i) {
    samples[i] = random_sample<T>(random, lower, upper, bins);
    weights[i] = static_cast<W>(number(bound) * ((random() >> 11) * 0x1p-52 - 1.0));
    const double units = std::nearbyint(static_cast<double>(weights[i]) * scale);
    const long long bin = even_bin(samples[i], lower, upper, bins, true);
    if (bin >= 0) fixed[bin] += static_cast<long long>(std::min(units, 2147483647.0));
  }
  for (int b = 0; b < bins; ++b) want[b] = static_cast<Sum>(std::is_same_v<W, int> ? fixed[b] : fixed[b] / scale);
  const DeviceArray<T> device_samples(samples);
  const DeviceArray<W> device_weights(weights);
  DeviceArray<Sum> sums(bins);
  for (int run = 0; run < 2; ++run) {
    sums.poison();
    MUST(tollgate::weighted_histogram_even(device_samples.data, device_weights.data, n, sums.data, bins, lower, upper,
                                           bound));
    expect(difference(sums.read(), want).empty(),
           "weighted, n " + std::to_string(n) + " bins " + std::to_string(bins) + ": " + difference(sums.read(), want));
  }
}

int main() {
  weighted_case<float, float, double>(3001, 256, 0.0f, 1.0f, 3.0f);
  weighted_case<uint8_t, int, long long>(3001, 100, 0, 256, 2000000000);
#ifdef TOLLGATE_TEST_EVERYTHING
  for (const size_t n : {0, 1, 100, 1000003}) {
    for (const int bins : {1, 256, 1000, 20000, 40000}) {
      weighted_case<float, float, double>(n, bins, 0.0f, 1.0f, 3.0f);
      weighted_case<float, double, double>(n, bins, -1.0f, 1.0f, 1e-3);
      weighted_case<int16_t, int, long long>(n, bins, -5000, 5000, 2000000000);
    }
  }
#endif
  return finish("weighted");
}
