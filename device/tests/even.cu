// histogram_even and bincount against the host: sample and counter types, edges, starts, sizes and every kind of table.
// Compiled with TOLLGATE_TEST_EVERYTHING = 1 to 4 a quarter of all types is tested, with more shapes and larger inputs.
#include "reference.h"

using namespace test;

template <class T, class C, class L> void even_case(std::mt19937_64& random, size_t n, int bins, L lower, L upper) {
  const size_t start = random() % 5;
  std::vector<T> samples(n + start);
  const bool constant = random() % 8 == 0;
  for (T& x : samples) x = constant ? samples[0] : random_sample<T>(random, lower, upper, bins);
  if (constant) std::fill(samples.begin(), samples.end(), random_sample<T>(random, lower, upper, bins));
  const bool closed = random() % 2 == 0;
  std::vector<C> want(bins, C(0));
  for (size_t i = start; i < samples.size(); ++i) {
    const long long bin = even_bin(samples[i], lower, upper, bins, closed);
    if (bin >= 0) ++want[bin];
  }
  const DeviceArray<T> device(samples);
  DeviceArray<C> counts(bins);
  counts.poison();
  MUST(tollgate::histogram_even(static_cast<const T*>(device.data) + start, n, counts.data, bins, lower, upper, nullptr,
                                closed ? tollgate::upper_edge::included : tollgate::upper_edge::excluded));
  const std::string wrong = difference(counts.read(), want);
  expect(wrong.empty(), std::string("even, samples of ") + std::to_string(sizeof(T)) + " bytes, n " +
                            std::to_string(n) + " bins " + std::to_string(bins) + " [" + std::to_string(number(lower)) +
                            ", " + std::to_string(number(upper)) + (closed ? "]: " : "): ") + wrong);
}

#ifdef TOLLGATE_TEST_EVERYTHING
const std::vector<int> table_bins = {1,    2,    16,    255,   256,   257,   1000,   1024,   2048,
                                     5000, 8192, 20000, 57000, 58100, 65536, 200000, 600000, 1 << 20};
const std::vector<size_t> sizes = {0, 1, 5, 31, 1000, 40000, 300001, 3000000};
#else
const std::vector<int> table_bins = {1, 256, 1000, 5000, 60000, 300000};
const std::vector<size_t> sizes = {0, 1, 33, 3001};
#endif

template <class T, class C, class L> void even_type(L lower, L upper) {
  std::mt19937_64 random(sizeof(T) * 1000 + sizeof(C));
  for (const size_t n : sizes) {
    for (const int bins : table_bins) {
      if (n == sizes.back() || random() % 4 == 0) even_case<T, C, L>(random, n, bins, lower, upper);
    }
  }
}

template <class T> void bincount_case() {
  std::mt19937_64 random(7);
  std::vector<T> samples(5000);
  for (T& x : samples) x = static_cast<T>(random() % 300 - 20);
  std::vector<int64_t> want(256, 0);
  for (const T x : samples) {
    if (x >= T(0) && static_cast<uint64_t>(x) < 256) ++want[static_cast<size_t>(x)];
  }
  const DeviceArray<T> device(samples);
  DeviceArray<int64_t> counts(256);
  counts.poison();
  MUST(tollgate::bincount(device.data, samples.size(), counts.data, 256));
  expect(difference(counts.read(), want).empty(), "bincount: " + difference(counts.read(), want));
}

void bad_arguments() {
  DeviceArray<float> samples(16);
  DeviceArray<int> counts(16);
  const auto even = [&](const float* s, int n, int* c, int bins, float lower, float upper) {
    return tollgate::histogram_even(s, n, c, bins, lower, upper);
  };
  const float nan = NAN;
  expect(even(samples.data, 16, counts.data, 0, 0, 1) == cudaErrorInvalidValue, "no bins");
  expect(even(samples.data, -1, counts.data, 16, 0, 1) == cudaErrorInvalidValue, "n < 0");
  expect(even(nullptr, 16, counts.data, 16, 0, 1) == cudaErrorInvalidValue, "no samples");
  expect(even(samples.data, 16, nullptr, 16, 0, 1) == cudaErrorInvalidValue, "no counters");
  expect(even(samples.data, 16, counts.data, 16, 1, 1) == cudaErrorInvalidValue, "empty range");
  expect(even(samples.data, 16, counts.data, 16, nan, 1) == cudaErrorInvalidValue, "NaN for a level");
  expect(even(samples.data, 16, counts.data, 16, 0, INFINITY) == cudaErrorInvalidValue, "infinite level");
  const float* crooked = reinterpret_cast<const float*>(reinterpret_cast<const char*>(samples.data) + 1);
  expect(even(crooked, 8, counts.data, 16, 0, 1) == cudaErrorInvalidValue, "start that no float can have");
  expect(even(nullptr, 0, counts.data, 16, 0, 1) == cudaSuccess, "empty input without an address");
  expect(cudaGetLastError() == cudaSuccess, "bad arguments leave no error behind");
}

int main() {
#ifndef TOLLGATE_TEST_EVERYTHING
  even_type<uint8_t, uint32_t>(0, 256);
  even_type<int16_t, int>(-1000, 9000);
  even_type<float, int64_t>(0.1f, 0.7f);
  bad_arguments();
#else
  bad_arguments();
#if TOLLGATE_TEST_EVERYTHING == 1
  even_type<uint8_t, uint32_t>(0, 256);
  even_type<int8_t, int>(-100, 37);
  even_type<uint8_t, unsigned long long>(-3.5f, 200.25f);
  even_type<int16_t, int>(-1000, 9000);
  even_type<uint16_t, int64_t>(0, 65536);
  even_type<uint16_t, uint32_t>(-70000, 90000);
  bincount_case<uint8_t>();
#elif TOLLGATE_TEST_EVERYTHING == 2
  even_type<int, int>(-2000000000, 2000000000);
  even_type<int, uint32_t>(int64_t{-3000000000}, int64_t{5000000000});
  even_type<uint32_t, unsigned long long>(5u, 4000000000u);
  bincount_case<int>();
  bincount_case<int16_t>();
#elif TOLLGATE_TEST_EVERYTHING == 3
  even_type<int64_t, uint32_t>(int64_t{-5}, int64_t{1} << 62);
  even_type<uint64_t, int>(uint64_t{17}, ~uint64_t{0});
  even_type<int64_t, int>(std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max());
  even_type<uint32_t, uint32_t>(0.5f, 1e9f);
  bincount_case<int64_t>();
#else
  even_type<__half, uint32_t>(-1.0f, 3.0f);
  even_type<__nv_bfloat16, int>(0.0f, 1.0f);
  even_type<float, int64_t>(0.1f, 0.7f);
  even_type<float, uint32_t>(0.0, 1.0);
  even_type<double, uint32_t>(-1e9, 1e9 / 3);
#endif
#endif
  return finish("even");
}
