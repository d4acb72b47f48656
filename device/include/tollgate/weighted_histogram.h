// Sums of weights by bin, the same bit for bit in every run.
//
//   tollgate::weighted_histogram_even(samples, weights, n, sums, 256, 0.0f, 1.0f, /*bound=*/4.0f, stream);
//
// Floating-point weights are added in fixed point, so that the order of additions does not matter: a weight is rounded
// to a multiple of 2^-31 of the power of two above `bound`, weights beyond the bound count as the bound, NaN as 0.
// `sums` are doubles. With int32 weights `sums` are 64-bit integers, exact, and there is no bound. n <= 2^32. Bins and
// errors are as in histogram.h; nothing is allocated, nothing waits.
#pragma once
#include "histogram.h"

namespace tollgate {
namespace detail {

// A counter of 64 bits in two words of shared memory, `apart` words from each other: the carry goes by itself.
__device__ inline void add_signed(uint32_t* low, uint32_t apart, int value) {
  const uint32_t before = atomicAdd(low, static_cast<uint32_t>(value));
  const uint32_t carry = before + static_cast<uint32_t>(value) < before ? 1 : 0;
  const uint32_t high = carry - (value < 0 ? 1u : 0u);
  if (high != 0) atomicAdd(low + apart, high);
}

template <class W> struct FixedPoint {
  W scale; // a power of two
  __device__ int operator()(W weight) const {
    if constexpr (std::is_same_v<W, int>) {
      return weight;
    } else if constexpr (sizeof(W) == 4) {
      return __float2int_rn(weight * scale);
    } else {
      return __double2int_rn(weight * scale);
    }
  }
};

struct WeightedShape {
  uint32_t bins;
  uint32_t copies; // 0: straight into global memory
};

template <class Rule, class W>
__device__ inline void add_weight(const Rule& rule, const WeightedShape& shape, unsigned long long* sums,
                                  typename Rule::Sample x, int weight) {
  uint32_t bin;
  if (!rule(x, bin)) return;
  if (bin >= shape.bins) bin = shape.bins - 1;
  if (shape.copies == 0) {
    atomicAdd(&sums[bin], static_cast<unsigned long long>(static_cast<long long>(weight)));
  } else {
    add_signed(&shared_words()[bin * shape.copies + (threadIdx.x & (shape.copies - 1))], shape.bins * shape.copies,
               weight);
  }
}

template <class Rule, class It, class WIt, class W>
__global__ void __launch_bounds__(1024) weighted_kernel(Rule rule, WeightedShape shape, It samples, WIt weights,
                                                        uint64_t n, FixedPoint<W> fixed, unsigned long long* sums) {
  const uint32_t words = shape.bins * shape.copies;
  for (uint32_t i = threadIdx.x; i < 2 * words; i += blockDim.x) shared_words()[i] = 0;
  __syncthreads();
  const uint64_t step = static_cast<uint64_t>(gridDim.x) * blockDim.x;
  uint64_t at = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  constexpr int in_flight = 8;
  for (; at + (in_flight - 1) * step < n; at += in_flight * step) {
    sample_of<It> x[in_flight];
    W w[in_flight];
#pragma unroll
    for (int i = 0; i < in_flight; ++i) x[i] = samples[at + i * step];
#pragma unroll
    for (int i = 0; i < in_flight; ++i) w[i] = weights[at + i * step];
#pragma unroll
    for (int i = 0; i < in_flight; ++i) add_weight<Rule, W>(rule, shape, sums, x[i], fixed(w[i]));
  }
  for (; at < n; at += step) add_weight<Rule, W>(rule, shape, sums, samples[at], fixed(weights[at]));
  if (shape.copies == 0) return;
  __syncthreads();
  for (uint32_t bin = threadIdx.x; bin < shape.bins; bin += blockDim.x) {
    unsigned long long sum = 0;
    for (uint32_t c = 0; c < shape.copies; ++c) {
      const uint32_t word = bin * shape.copies + ((c + threadIdx.x) & (shape.copies - 1));
      sum += static_cast<unsigned long long>(shared_words()[words + word]) << 32 | shared_words()[word];
    }
    if (sum != 0) atomicAdd(&sums[bin], sum);
  }
}

// The sums stand as integers where the doubles will be.
template <class Sum> __global__ void to_double_kernel(Sum* sums, uint32_t bins, double unit) {
  const uint32_t bin = blockIdx.x * blockDim.x + threadIdx.x;
  if (bin >= bins) return;
  const long long fixed = *reinterpret_cast<const long long*>(&sums[bin]);
  sums[bin] = static_cast<double>(fixed) * unit;
}

template <class Rule, class It, class WIt, class Sum, class W>
cudaError_t weigh(const Rule& rule, It samples, WIt weights, uint64_t n, Sum* sums, uint32_t bins, FixedPoint<W> fixed,
                  cudaStream_t stream) {
  DeviceFacts facts;
  cudaError_t error = facts.read();
  if (error == cudaSuccess) error = cudaMemsetAsync(sums, 0, bins * sizeof(Sum), stream);
  if (error != cudaSuccess) return error;
  if (n != 0) {
    WeightedShape shape{bins, 32};
    while (shape.copies != 0 && uint64_t{bins} * shape.copies * 8 > static_cast<uint64_t>(facts.shared_bytes))
      shape.copies /= 2;
    while (shape.copies > 1 && uint64_t{bins} * shape.copies > n) shape.copies /= 2;
    const size_t shared = size_t{bins} * shape.copies * 8;
    const auto kernel = weighted_kernel<Rule, It, WIt, W>;
    const void* symbol = reinterpret_cast<const void*>(kernel);
    if (shared > 48 * 1024) {
      error = cudaFuncSetAttribute(symbol, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared));
      if (error != cudaSuccess) return error;
    }
    constexpr int threads = 512;
    int resident = 0;
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, shared);
    if (error != cudaSuccess) return error;
    const uint64_t most = static_cast<uint64_t>(std::max(resident, 1)) * facts.multiprocessors;
    const unsigned blocks = static_cast<unsigned>(std::min<uint64_t>(most, (n + threads - 1) / threads));
    kernel<<<blocks, threads, shared, stream>>>(rule, shape, samples, weights, n, fixed,
                                                reinterpret_cast<unsigned long long*>(sums));
    error = cudaPeekAtLastError();
    if (error != cudaSuccess) return error;
  }
  if constexpr (std::is_same_v<Sum, double>) {
    to_double_kernel<<<(bins + 255) / 256, 256, 0, stream>>>(sums, bins, 1.0 / static_cast<double>(fixed.scale));
    error = cudaPeekAtLastError();
  }
  return error;
}

} // namespace detail

// `bound` is what no weight's absolute value exceeds; it is not used with int weights.
template <class SampleIterator, class WeightIterator, class Sum, class Level, class Size>
cudaError_t weighted_histogram_even(SampleIterator samples, WeightIterator weights, Size n, Sum* sums, int bins,
                                    Level lower, Level upper, detail::sample_of<WeightIterator> bound,
                                    cudaStream_t stream = nullptr, upper_edge edge = upper_edge::included) {
  using T = detail::sample_of<SampleIterator>;
  using W = detail::sample_of<WeightIterator>;
  constexpr bool integers = std::is_same_v<W, int>;
  static_assert(integers || std::is_same_v<W, float> || std::is_same_v<W, double>, "weights: int, float or double");
  static_assert(integers ? std::is_integral_v<Sum> && sizeof(Sum) == 8 : std::is_same_v<Sum, double>,
                "sums: 64-bit integers for int weights, otherwise double");
  if constexpr (std::is_signed_v<Size>) {
    if (n < 0) return cudaErrorInvalidValue;
  }
  const uint64_t count = static_cast<uint64_t>(n);
  if (sums == nullptr || bins < 1 || count > (uint64_t{1} << 32)) return cudaErrorInvalidValue;
  detail::FixedPoint<W> fixed{W(1)};
  if constexpr (!integers) {
    if (!(bound > 0) || !std::isfinite(bound)) return cudaErrorInvalidValue;
    int exponent = 0;
    std::frexp(bound, &exponent); // bound <= 2^exponent
    fixed.scale = std::ldexp(W(1), 31 - exponent);
    if (!std::isfinite(fixed.scale) || !(fixed.scale > 0)) return cudaErrorInvalidValue;
  }
  const bool closed = edge == upper_edge::included;
  const uint32_t width = static_cast<uint32_t>(bins);
  if constexpr (detail::is_float<T> || detail::is_float<Level>) {
    using F = detail::common_float<T, Level>;
    detail::EvenFloatBins<T, F> rule;
    if (!detail::float_rule(detail::to_float<F>(lower), detail::to_float<F>(upper), width, closed, rule)) {
      return cudaErrorInvalidValue;
    }
    return detail::weigh(rule, samples, weights, count, sums, width, fixed, stream);
  } else {
    if (!(lower < upper)) return cudaErrorInvalidValue;
    const auto rule = detail::any_rule(detail::IntegerRange<T>(lower, upper, closed), width);
    return detail::weigh(rule, samples, weights, count, sums, width, fixed, stream);
  }
}

} // namespace tollgate
