// What a histogram must be, computed on the host by other means than the library's: exact fractions for integers,
// the processor's own directed rounding for floating point.
#pragma once
#include <cfenv>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <tollgate/device_histogram.h>
#include <tollgate/histogram.h>
#include <vector>

namespace test {

inline int failures = 0;

inline void expect(bool good, const std::string& what) {
  if (good) return;
  if (++failures <= 20) std::printf("FAILED: %s\n", what.c_str());
}

inline void must(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::printf("FAILED: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}
#define MUST(call) test::must(call, #call)

template <class T> struct DeviceArray {
  T* data = nullptr;
  size_t size = 0;
  explicit DeviceArray(size_t n) : size(n) { MUST(cudaMalloc(&data, (n * sizeof(T) + 4) / 4 * 4)); } // whole words
  explicit DeviceArray(const std::vector<T>& from) : DeviceArray(from.size()) {
    MUST(cudaMemcpy(data, from.data(), size * sizeof(T), cudaMemcpyHostToDevice));
  }
  DeviceArray(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(data); }
  void poison() { MUST(cudaMemset(data, 0xa5, size * sizeof(T))); }
  std::vector<T> read() const {
    std::vector<T> values(size);
    MUST(cudaMemcpy(values.data(), data, size * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }
};

template <class T> double number(T x) { return static_cast<double>(x); }
template <> inline double number(__half x) { return __half2float(x); }
template <> inline double number(__nv_bfloat16 x) { return __bfloat162float(x); }

// The bin of x, or -1. The optimiser must not move the arithmetic out of its rounding mode: hence volatile.
template <class F> long long float_bin(F x, F lower, F upper, int bins, bool closed) {
  if (!(x >= lower && (closed ? x <= upper : x < upper))) return -1;
  volatile F span, scale, difference, product, count = static_cast<F>(bins), low = lower, high = upper, value = x;
  std::fesetround(FE_DOWNWARD);
  span = high - low;
  std::fesetround(FE_UPWARD);
  scale = count / span;
  std::fesetround(FE_DOWNWARD);
  difference = value - low;
  product = difference * scale;
  std::fesetround(FE_TONEAREST);
  const long long bin = static_cast<long long>(product);
  return bin < bins ? bin : bins - 1;
}

template <class T, class L> long long even_bin(T x, L lower, L upper, int bins, bool closed) {
  using namespace tollgate::detail;
  if constexpr (is_float<T> || is_float<L>) {
    using F = common_float<T, L>;
    return float_bin<F>(static_cast<F>(number(x)), static_cast<F>(number(lower)), static_cast<F>(number(upper)), bins,
                        closed);
  } else {
    const __int128 d = static_cast<__int128>(x) - static_cast<__int128>(lower);
    const __int128 range = static_cast<__int128>(upper) - static_cast<__int128>(lower);
    if (d < 0 || d > range || (d == range && !closed)) return -1;
    const __int128 bin = d * bins / range;
    return static_cast<long long>(bin < bins ? bin : bins - 1);
  }
}

template <class T, class L> long long range_bin(T x, const std::vector<L>& levels, bool closed) {
  const auto reaches = [&](size_t i) {
    if constexpr (std::is_integral_v<T> && std::is_integral_v<L>) {
      return static_cast<__int128>(levels[i]) <= static_cast<__int128>(x);
    } else {
      return number(levels[i]) <= number(x);
    }
  };
  const size_t bins = levels.size() - 1;
  if (!reaches(0)) return -1;
  if (reaches(bins)) return closed && number(x) == number(levels[bins]) ? static_cast<long long>(bins) - 1 : -1;
  size_t bin = 0;
  while (bin + 1 < bins && reaches(bin + 1)) ++bin;
  return static_cast<long long>(bin);
}

template <class T> T from_bits(uint64_t bits) {
  T value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// Values around and beyond the levels; for floating point now and then any bits at all: NaN, infinities, denormals.
template <class T, class L> T random_sample(std::mt19937_64& random, L lower, L upper, int bins) {
  const double low = number(lower), high = number(upper), span = high - low;
  const uint64_t kind = random() % 16;
  if (kind == 0) return from_bits<T>(random());
  double x = low + span * ((random() >> 11) * 0x1p-53 * 1.25 - 0.125);
  if (kind < 5) x = low + span * static_cast<double>(random() % (bins + 1)) / bins; // edges
  if constexpr (std::is_integral_v<T>) {
    const double least = static_cast<double>(std::numeric_limits<T>::min());
    const double most = static_cast<double>(std::numeric_limits<T>::max());
    if (x <= least) return std::numeric_limits<T>::min();
    return x >= most ? std::numeric_limits<T>::max() : static_cast<T>(x);
  } else {
    return static_cast<T>(static_cast<float>(x));
  }
}

template <class C> std::string difference(const std::vector<C>& got, const std::vector<C>& want) {
  for (size_t i = 0; i < want.size(); ++i) {
    if (got[i] != want[i]) {
      return "bin " + std::to_string(i) + ": " + std::to_string(got[i]) + " instead of " + std::to_string(want[i]);
    }
  }
  return "";
}

inline int finish(const char* name) {
  std::printf("%s: %s\n", name, failures == 0 ? "passed" : "FAILED");
  return failures == 0 ? 0 : 1;
}

} // namespace test
