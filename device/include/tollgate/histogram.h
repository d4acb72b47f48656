/// \defgroup histogram histogram.h
/// Histograms on the device, at the speed of memory whatever the data looks like.
///
///     tollgate::histogram_even(samples, n, counts, 256, 0.0f, 1.0f, stream);
///
/// Each call overwrites `counts`, works in stream order, allocates nothing and never waits. Samples: integers of 8 to
/// 64 bits, `__half`, `__nv_bfloat16`, `float`, `double`, by pointer or any random-access iterator of device code.
/// Counters: 32 or 64-bit integers. Which sample belongs to which bin: docs/histogram.md. Bad arguments give
/// `cudaErrorInvalidValue`.
#pragma once
#include "detail/dispatch.h"

/// Histograms on the device, and additions that meet on few addresses.
namespace tollgate {

/// \addtogroup histogram
/// \{

/// Which end of the last bin is meant: numpy counts a sample equal to the last edge, CUB does not.
enum class upper_edge {
  included, ///< a sample equal to the last edge is counted
  excluded  ///< it is not
};

/// `bins` bins of equal width over [lower, upper].
/// \tparam SampleIterator a pointer to samples, or an iterator over them
/// \tparam Counter a 32 or 64-bit integer; 32 bits wrap beyond 2^32
/// \tparam Level an integer or floating-point type, not always that of the samples
/// \tparam Size an integer type
/// \param samples device memory, or an iterator that device code can read
/// \param n how many samples, beyond 2^32 too; 0 clears the counts
/// \param counts device memory, `bins` counters
/// \param bins at least 1
/// \param lower,upper finite, lower < upper
/// \param stream the stream that clears and counts
/// \param edge whether a sample equal to `upper` is counted
/// \return `cudaErrorInvalidValue`, or what the launch gave; errors of the kernels show in later calls
template <class SampleIterator, class Counter, class Level, class Size>
cudaError_t histogram_even(SampleIterator samples, Size n, Counter* counts, int bins, Level lower, Level upper,
                           cudaStream_t stream = nullptr, upper_edge edge = upper_edge::included) {
  return detail::even<1, 1>(samples, detail::line(samples, n), &counts, &bins, &lower, &upper,
                            edge == upper_edge::included, stream);
}

/// Bin i holds the samples in [levels[i], levels[i + 1]); `levels` is device memory, bins + 1 numbers that never fall.
/// They are read when the kernels run, so no error tells of numbers that do fall. The rest is as in histogram_even().
template <class SampleIterator, class Counter, class Level, class Size>
cudaError_t histogram_range(SampleIterator samples, Size n, Counter* counts, int bins, const Level* levels,
                            cudaStream_t stream = nullptr, upper_edge edge = upper_edge::included) {
  return detail::range<1, 1>(samples, detail::line(samples, n), &counts, &bins, &levels, edge == upper_edge::included,
                             stream);
}

/// counts[v] is how often the integer v occurs, 0 <= v < bins; other values are not counted. The rest is as in
/// histogram_even().
template <class SampleIterator, class Counter, class Size>
cudaError_t bincount(SampleIterator samples, Size n, Counter* counts, int bins, cudaStream_t stream = nullptr) {
  static_assert(std::is_integral_v<detail::sample_of<SampleIterator>>, "bincount counts integers");
  return histogram_even(samples, n, counts, bins, 0, bins, stream, upper_edge::excluded);
}

/// Pixels of `Channels` interleaved samples, the first `Active` of them counted, each with bins and levels of its own.
/// \tparam Channels 1 to 4
/// \tparam Active 1 to `Channels`
/// \param samples `pixels` times `Channels` samples
/// \param pixels how many pixels
/// \param counts,bins,lower,upper one for each counted channel, each as in histogram_even(); host memory
/// \param stream,edge as in histogram_even()
/// \return as in histogram_even()
template <int Channels, int Active, class SampleIterator, class Counter, class Level, class Size>
cudaError_t multi_histogram_even(SampleIterator samples, Size pixels, Counter* const (&counts)[Active],
                                 const int (&bins)[Active], const Level (&lower)[Active], const Level (&upper)[Active],
                                 cudaStream_t stream = nullptr, upper_edge edge = upper_edge::included) {
  return detail::even<Channels, Active>(samples, detail::line(samples, pixels, Channels), counts, bins, lower, upper,
                                        edge == upper_edge::included, stream);
}

/// The same with levels of any distance, as in histogram_range(): `levels` are pointers to device memory, one for each
/// counted channel.
template <int Channels, int Active, class SampleIterator, class Counter, class Level, class Size>
cudaError_t multi_histogram_range(SampleIterator samples, Size pixels, Counter* const (&counts)[Active],
                                  const int (&bins)[Active], const Level* const (&levels)[Active],
                                  cudaStream_t stream = nullptr, upper_edge edge = upper_edge::included) {
  return detail::range<Channels, Active>(samples, detail::line(samples, pixels, Channels), counts, bins, levels,
                                         edge == upper_edge::included, stream);
}

/// A region of `rows` rows of `row_pixels` pixels, the starts of rows `row_stride_bytes` apart: a multiple of the size
/// of a sample.
template <int Channels, int Active, class SampleIterator, class Counter, class Level, class Size>
cudaError_t multi_histogram_even(SampleIterator samples, Size row_pixels, Size rows, size_t row_stride_bytes,
                                 Counter* const (&counts)[Active], const int (&bins)[Active],
                                 const Level (&lower)[Active], const Level (&upper)[Active],
                                 cudaStream_t stream = nullptr, upper_edge edge = upper_edge::included) {
  return detail::even<Channels, Active>(samples, detail::region(row_pixels, rows, row_stride_bytes, Channels), counts,
                                        bins, lower, upper, edge == upper_edge::included, stream);
}

/// The same region with levels of any distance.
template <int Channels, int Active, class SampleIterator, class Counter, class Level, class Size>
cudaError_t multi_histogram_range(SampleIterator samples, Size row_pixels, Size rows, size_t row_stride_bytes,
                                  Counter* const (&counts)[Active], const int (&bins)[Active],
                                  const Level* const (&levels)[Active], cudaStream_t stream = nullptr,
                                  upper_edge edge = upper_edge::included) {
  return detail::range<Channels, Active>(samples, detail::region(row_pixels, rows, row_stride_bytes, Channels), counts,
                                         bins, levels, edge == upper_edge::included, stream);
}

/// \}

} // namespace tollgate
