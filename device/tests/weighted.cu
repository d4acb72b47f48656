// weighted_histogram_even, weighted_histogram_range and weight_bound against sums in fixed point on the host.
#include "weights.h"

#include <tollgate/weighted_histogram.h>

using namespace test;

enum class Bound { number, memory, found };

template <class T, class W, class L> struct Case {
  size_t n;
  int bins;
  L lower, upper;
  W bound;
  bool odd = false;
  std::string name() const {
    return "weighted, n " + std::to_string(n) + " bins " + std::to_string(bins) + " bound " +
           exactly(static_cast<double>(bound));
  }
};

// By all three ways to a bound; with `levels` by range, otherwise by equal bins.
template <class Sum, class T, class W, class L>
void run_case(const Case<T, W, L>& c, std::initializer_list<Bound> ways, const std::vector<L>* levels = nullptr) {
  std::mt19937_64 random(c.n + c.bins);
  std::vector<T> samples(c.n);
  for (T& x : samples) x = random_sample<T>(random, c.lower, c.upper, c.bins);
  const std::vector<W> weights = random_weights(random, c.n, c.bound, c.odd);
  const DeviceArray<T> device_samples(samples);
  const DeviceArray<W> device_weights(weights);
  const DeviceArray<L> device_levels(levels != nullptr ? *levels : std::vector<L>(1));
  DeviceArray<W> device_bound(std::vector<W>{c.bound});
  DeviceArray<Sum> sums(c.bins);
  const T* x = device_samples.data;
  const W* w = device_weights.data;
  for (const Bound way : ways) {
    W bound = c.bound;
    if constexpr (std::is_floating_point_v<W>) {
      if (way == Bound::found) {
        bound = bound_of(weights);
        device_bound.poison();
        MUST(tollgate::weight_bound(w, c.n, device_bound.data));
        expect(device_bound.read()[0] == bound, c.name() + ": bound " + exactly(device_bound.read()[0]));
      }
    }
    const auto call = [&](auto given) {
      if (levels != nullptr) {
        return tollgate::weighted_histogram_range(x, w, c.n, sums.data, c.bins, device_levels.data, given);
      }
      return tollgate::weighted_histogram_even(x, w, c.n, sums.data, c.bins, c.lower, c.upper, given);
    };
    sums.poison();
    if constexpr (std::is_floating_point_v<W>) {
      MUST(way == Bound::number ? call(bound) : call(device_bound.data));
    } else {
      MUST(call(bound));
    }
    const auto bin_of = [&](T sample) {
      return levels != nullptr ? range_bin(sample, *levels, true) : even_bin(sample, c.lower, c.upper, c.bins, true);
    };
    expect_sums(sums.read(), weighted_sums<Sum>(samples, weights, c.bins, bound, bin_of),
                c.name() + (levels != nullptr ? " by range" : "") + ", way " + std::to_string(static_cast<int>(way)));
  }
}

// Bounds at the ends of the type, weights that are no numbers, and none at all.
template <class W> void odd_bounds(size_t n, bool all) {
  using Limits = std::numeric_limits<W>;
  std::vector<W> bounds = {Limits::denorm_min(), W(3), Limits::max()};
  if (all)
    bounds.insert(bounds.end(), {W(0), W(37) * Limits::denorm_min(), Limits::min(), W(1), std::nextafter(W(1), W(0))});
  for (const W bound : bounds) {
    run_case<double>(Case<float, W, float>{n, 7, 0.0f, 1.0f, bound, false}, {Bound::number, Bound::found});
    run_case<double>(Case<float, W, float>{n, 7, 0.0f, 1.0f, bound, true}, {Bound::memory});
  }
}

// The same weight at every place, without memory: more of them than 2^32.
template <class T> struct Everywhere {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = T;
  using difference_type = long long;
  using pointer = const T*;
  using reference = T;
  T value;
  __host__ __device__ T operator[](uint64_t) const { return value; }
};

template <class W> void everywhere(uint64_t n, W weight, W bound) {
  DeviceArray<double> sums(2);
  const Units<W> units(bound, n);
  MUST(tollgate::weighted_histogram_even(Everywhere<float>{0.75f}, Everywhere<W>{weight}, n, sums.data, 2, 0.0f, 1.0f,
                                         bound));
  const double want = units.sum(static_cast<long long>(units.of(weight)) * static_cast<long long>(n));
  expect_sums(sums.read(), {0.0, want}, std::to_string(n) + " equal weights");
}

template <class W> void check_bound(const std::vector<W>& weights, size_t offset) {
  const DeviceArray<W> on_device(weights);
  DeviceArray<W> bound(1);
  bound.poison();
  MUST(tollgate::weight_bound(on_device.data + offset, weights.size() - offset, bound.data));
  const W want = bound_of(std::vector<W>(weights.begin() + offset, weights.end()));
  expect(bound.read()[0] == want, "bound of " + std::to_string(weights.size()) + " from " + std::to_string(offset) +
                                      ": " + exactly(bound.read()[0]) + " instead of " + exactly(want));
}

// The largest weight at each end and at every start within a vector; then no numbers at all.
template <class W> void bounds_of(std::initializer_list<size_t> sizes) {
  std::mt19937_64 random(5);
  for (const size_t n : sizes) {
    for (size_t offset = 0; offset < 16 / sizeof(W) && offset <= n; ++offset) {
      std::vector<W> weights = random_weights(random, n, W(1), false);
      if (n > offset) weights[offset % 2 == 0 ? offset : n - 1] = W(-2);
      check_bound(weights, offset);
    }
  }
  check_bound<W>({W(NAN), W(-NAN)}, 0);
  check_bound<W>({W(1), W(-INFINITY), W(NAN)}, 0);
  check_bound<W>({std::numeric_limits<W>::denorm_min(), W(-0.0)}, 0);
}

void arguments() {
  DeviceArray<float> values(std::vector<float>{0.5f, 0.25f, 0.0f});
  DeviceArray<double> sums(1);
  const float* x = values.data;
  const auto even = [&](int n, auto bound) {
    return tollgate::weighted_histogram_even(x, x, n, sums.data, 1, 0.0f, 1.0f, bound);
  };
  const float* nowhere = nullptr;
  const float* crooked = reinterpret_cast<const float*>(reinterpret_cast<const char*>(x) + 1);
  for (const float bound : {-1.0f, INFINITY, NAN}) {
    expect(even(1, bound) == cudaErrorInvalidValue, "a bound that is none");
    MUST(cudaMemcpy(values.data + 2, &bound, sizeof bound, cudaMemcpyHostToDevice));
    MUST(even(2, x + 2));
    expect(std::isnan(sums.read()[0]), "a bound in memory that is none gives NaN");
  }
  expect(even(-1, 1.0f) == cudaErrorInvalidValue, "a negative size");
  expect(even(1, nowhere) == cudaErrorInvalidValue, "a bound at no address");
  expect(even(1, crooked) == cudaErrorInvalidValue, "a bound at a crooked address");
  expect(tollgate::weight_bound(nowhere, 1, values.data) == cudaErrorInvalidValue, "weights at no address");
  expect(tollgate::weight_bound(crooked, 1, values.data) == cudaErrorInvalidValue, "weights at a crooked address");
  expect(tollgate::weight_bound(x, 1, static_cast<float*>(nullptr)) == cudaErrorInvalidValue, "a bound to nowhere");
  expect(tollgate::weighted_histogram_range(x, x, 1, sums.data, 1, nowhere, 1.0f) == cudaErrorInvalidValue,
         "no levels");
  const uint64_t most = uint64_t{1} << 32;
  const uint64_t sizes[] = {0, 1, most, most + 1, 2 * most, 2 * most + 1, ~uint64_t{0}};
  const int spare[] = {0, 0, 0, 1, 1, 2, 32};
  for (int i = 0; i < 7; ++i) {
    expect(tollgate::detail::spare_bits(sizes[i]) == spare[i], "spare bits of " + std::to_string(sizes[i]));
  }
}

#ifdef TOLLGATE_TEST_EVERYTHING
void in_a_graph() {
  const size_t n = 100003;
  std::mt19937_64 random(3);
  const std::vector<float> samples(n, 0.5f), weights = random_weights(random, n, 5.0f, true);
  const DeviceArray<float> device_samples(samples), device_weights(weights);
  DeviceArray<float> bound(1);
  DeviceArray<double> sums(3);
  const float *x = device_samples.data, *w = device_weights.data, *found = bound.data;
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  MUST(cudaStreamCreate(&stream));
  MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  MUST(tollgate::weight_bound(w, n, bound.data, stream));
  MUST(tollgate::weighted_histogram_even(x, w, n, sums.data, 3, 0.0f, 1.0f, found, stream));
  MUST(cudaStreamEndCapture(stream, &graph));
  MUST(cudaGraphInstantiate(&exec, graph, 0));
  const auto want = weighted_sums<double>(samples, weights, 3, bound_of(weights),
                                          [](float sample) { return even_bin(sample, 0.0f, 1.0f, 3, true); });
  for (int run = 0; run < 5; ++run) {
    sums.poison();
    MUST(cudaGraphLaunch(exec, stream));
    MUST(cudaStreamSynchronize(stream));
    expect_sums(sums.read(), want, "in a graph, run " + std::to_string(run));
  }
}

void many_shapes(size_t n, int bins, bool odd) {
  const auto ways = {Bound::number, Bound::memory, Bound::found};
  run_case<double>(Case<float, float, float>{n, bins, 0.0f, 1.0f, 3.0f, odd}, ways);
  run_case<double>(Case<float, double, float>{n, bins, -1.0f, 1.0f, 1e-3, odd}, ways);
  run_case<long long>(Case<int16_t, int, int>{n, bins, -5000, 5000, 2000000000}, {Bound::number});
  if (bins > 256) return; // the host looks at one level after the other
  std::vector<float> levels(bins + 1);
  for (int b = 0; b <= bins; ++b) levels[b] = static_cast<float>(b) * b / bins / bins;
  run_case<double>(Case<float, float, float>{n, bins, 0.0f, 1.0f, 3.0f, odd}, ways, &levels);
}

void everything() {
  for (const size_t n : {0, 1, 100, 200003}) {
    for (const int bins : {1, 256, 1000, 20000, 40000}) {
      for (const bool odd : {false, true}) many_shapes(n, bins, odd);
    }
  }
  odd_bounds<float>(100003, true);
  odd_bounds<double>(100003, true);
  bounds_of<float>({0, 1, 2, 3, 5, 17, 3001, 1000003});
  bounds_of<double>({0, 1, 2, 3, 5, 17, 3001, 1000003});
  for (const uint64_t n :
       {uint64_t{1} << 32, (uint64_t{1} << 32) + 1, uint64_t{1} << 33, (uint64_t{1} << 33) + 12345}) {
    everywhere(n, -3.0f, 3.0f);
    everywhere(n, 0x1.fffffep-1f, 0x1.fffffep-1f);
    everywhere(n, 1 - 0x1p-53, 1 - 0x1p-53);
  }
  in_a_graph();
}
#endif

int main() {
  run_case<double>(Case<float, float, float>{3001, 256, 0.0f, 1.0f, 3.0f, true}, {Bound::number});
  run_case<double>(Case<float, float, float>{1003, 256, 0.0f, 1.0f, 3.0f}, {Bound::found});
  run_case<long long>(Case<uint8_t, int, int>{3001, 100, 0, 256, 2000000000}, {Bound::number});
  const std::vector<float> levels = {0.0f, 0.125f, 0.125f, 0.75f, 1.0f};
  run_case<double>(Case<float, float, float>{1001, 4, 0.0f, 1.0f, 3.0f, true}, {Bound::memory}, &levels);
  odd_bounds<float>(301, false);
  odd_bounds<double>(301, false);
  bounds_of<float>({0, 1, 5, 3001});
  bounds_of<double>({0, 1, 5, 3001});
  arguments();
#ifdef TOLLGATE_TEST_EVERYTHING
  everything();
#endif
  return finish("weighted");
}
