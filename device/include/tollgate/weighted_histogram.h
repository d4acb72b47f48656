/// \defgroup weighted_histogram weighted_histogram.h
/// Sums of weights by bin, the same bit for bit in every run.
///
///     tollgate::weighted_histogram_even(samples, weights, n, sums, 256, 0.0f, 1.0f, 4.0f, stream); // bound 4
///
/// Floating-point weights are added in fixed point, so that the order of additions does not matter: a weight is rounded
/// to a multiple of 2^-31 of the power of two above `bound`, weights beyond the bound count as the bound, NaN as 0.
/// `sums` are doubles. More than 2^32 weights are rounded to multiples of 2^(s - 31), where 2^(32 + s) is no less than
/// n: sums never wrap. With int32 weights `sums` are 64-bit integers, exact whatever n, and the bound is not used.
///
/// Where no bound is known, it is read from device memory, and may have been found there just before:
///
///     tollgate::weight_bound(weights, n, bound, stream);                                    // float* bound
///     tollgate::weighted_histogram_even(samples, weights, n, sums, 256, 0.0f, 1.0f, bound, stream);
///
/// That reads the weights twice: with weights as wide as samples it takes at least 3/2 of the time of a known bound,
/// and with narrow samples up to twice as long. One reading would need a scale before the largest weight has been seen.
///
/// Bins and errors are as in histogram.h; nothing is allocated, nothing waits, and all of it can be captured in a
/// graph.
#pragma once
#include "detail/weight_bound.h"
#include "histogram.h"

namespace tollgate {

/// \addtogroup weighted_histogram
/// \{

/// Stores in device memory the largest absolute value of the weights: an infinity counts as the largest finite value,
/// NaN is ignored; 0 where there are none.
/// \tparam WeightIterator a pointer to float or double weights, or an iterator over them
/// \tparam Size an integer type
/// \param weights device memory, or an iterator that device code can read
/// \param n how many weights
/// \param bound device memory, one number of the weights' type
/// \param stream the stream that looks for it
/// \return `cudaErrorInvalidValue`, or what the launch gave
template <class WeightIterator, class Size>
cudaError_t weight_bound(WeightIterator weights, Size n, detail::sample_of<WeightIterator>* bound,
                         cudaStream_t stream = nullptr) {
  using W = detail::sample_of<WeightIterator>;
  static_assert(std::is_same_v<W, float> || std::is_same_v<W, double>, "only float and double weights have a bound");
  if constexpr (std::is_signed_v<Size>) {
    if (n < 0) return cudaErrorInvalidValue;
  }
  const uint64_t count = static_cast<uint64_t>(n);
  if (bound == nullptr || !detail::readable(bound, 1) || !detail::readable(weights, count)) {
    return cudaErrorInvalidValue;
  }
  return detail::find_bound(weights, count, bound, stream);
}

namespace detail {

// The local call with the bound as a number or in memory.
template <class Level, class Bound, class It, class WIt, class Sum>
cudaError_t weigh_even(Weighing<It, WIt, Sum> work, Level lower, Level upper, Bound bound, upper_edge edge) {
  if (!work.good || !work.scaling.take(bound)) return cudaErrorInvalidValue;
  const cudaError_t error = with_even_rule<sample_of<It>>(lower, upper, work.bins, edge == upper_edge::included,
                                                          [&](const auto& rule) { return add_units(rule, work); });
  return error == cudaSuccess ? finish_sums(work) : error;
}

template <class Level, class Bound, class It, class WIt, class Sum>
cudaError_t weigh_range(Weighing<It, WIt, Sum> work, const Level* levels, Bound bound, upper_edge edge) {
  if (!work.good || !work.scaling.take(bound)) return cudaErrorInvalidValue;
  const cudaError_t error = with_range_rule<sample_of<It>>(levels, work.bins, edge == upper_edge::included,
                                                           [&](const auto& rule) { return add_units(rule, work); });
  return error == cudaSuccess ? finish_sums(work) : error;
}

} // namespace detail

/// The sum of the weights in each of `bins` bins of equal width over [lower, upper].
/// \tparam SampleIterator a pointer to samples, or an iterator over them
/// \tparam WeightIterator the same for weights: int32, float or double
/// \tparam Sum a 64-bit integer for int32 weights, otherwise double
/// \tparam Level an integer or floating-point type, not always that of the samples
/// \tparam Size an integer type
/// \param samples device memory, or an iterator that device code can read
/// \param weights the same; sample i has weight i
/// \param n how many samples, each with its weight; 0 clears the sums
/// \param sums device memory, `bins` sums; overwritten
/// \param bins at least 1
/// \param lower,upper finite, lower < upper
/// \param bound what no weight's absolute value exceeds, finite and not negative; it is not used with int weights
/// \param stream the stream that clears and adds
/// \param edge whether a sample equal to `upper` counts
/// \return `cudaErrorInvalidValue`, or what the launches gave; errors of the kernels show in later calls
template <class SampleIterator, class WeightIterator, class Sum, class Level, class Size>
cudaError_t weighted_histogram_even(SampleIterator samples, WeightIterator weights, Size n, Sum* sums, int bins,
                                    Level lower, Level upper, detail::sample_of<WeightIterator> bound,
                                    cudaStream_t stream = nullptr, upper_edge edge = upper_edge::included) {
  return detail::weigh_even(
      detail::Weighing<SampleIterator, WeightIterator, Sum>(samples, weights, n, sums, bins, stream), lower, upper,
      bound, edge);
}

/// The same, the bound in device memory, read when the kernels run. One that is negative, infinite or NaN makes all
/// sums NaN.
template <class SampleIterator, class WeightIterator, class Sum, class Level, class Size>
cudaError_t weighted_histogram_even(SampleIterator samples, WeightIterator weights, Size n, Sum* sums, int bins,
                                    Level lower, Level upper, const detail::sample_of<WeightIterator>* bound,
                                    cudaStream_t stream = nullptr, upper_edge edge = upper_edge::included) {
  return detail::weigh_even(
      detail::Weighing<SampleIterator, WeightIterator, Sum>(samples, weights, n, sums, bins, stream), lower, upper,
      bound, edge);
}

/// Bin i has the weights of the samples in [levels[i], levels[i + 1]); `levels` is device memory, bins + 1 numbers that
/// never fall. The rest is as in weighted_histogram_even().
template <class SampleIterator, class WeightIterator, class Sum, class Level, class Size>
cudaError_t weighted_histogram_range(SampleIterator samples, WeightIterator weights, Size n, Sum* sums, int bins,
                                     const Level* levels, detail::sample_of<WeightIterator> bound,
                                     cudaStream_t stream = nullptr, upper_edge edge = upper_edge::included) {
  return detail::weigh_range(
      detail::Weighing<SampleIterator, WeightIterator, Sum>(samples, weights, n, sums, bins, stream), levels, bound,
      edge);
}

/// The same, the bound in device memory, read when the kernels run.
template <class SampleIterator, class WeightIterator, class Sum, class Level, class Size>
cudaError_t weighted_histogram_range(SampleIterator samples, WeightIterator weights, Size n, Sum* sums, int bins,
                                     const Level* levels, const detail::sample_of<WeightIterator>* bound,
                                     cudaStream_t stream = nullptr, upper_edge edge = upper_edge::included) {
  return detail::weigh_range(
      detail::Weighing<SampleIterator, WeightIterator, Sum>(samples, weights, n, sums, bins, stream), levels, bound,
      edge);
}

/// \}

} // namespace tollgate
