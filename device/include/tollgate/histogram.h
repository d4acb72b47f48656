// Histograms on the device, at the speed of memory whatever the data looks like.
//
//   tollgate::histogram_even(samples, n, counts, 256, 0.0f, 1.0f, stream);
//
// Each call overwrites `counts`, works in stream order, allocates nothing and never waits. Samples: integers of 8 to 64
// bits, __half, __nv_bfloat16, float, double, by pointer or any random-access iterator of device code. Counters: 32 or
// 64-bit integers. Which sample belongs to which bin: docs/histogram.md. Bad arguments give cudaErrorInvalidValue.
#pragma once
#include "detail/dispatch.h"

namespace tollgate {

// Which end of the last bin is meant: numpy counts a sample equal to the last edge, CUB does not.
enum class upper_edge { included, excluded };

// `bins` bins of equal width over [lower, upper].
template <class SampleIterator, class Counter, class Level, class Size>
cudaError_t histogram_even(SampleIterator samples, Size n, Counter* counts, int bins, Level lower, Level upper,
                           cudaStream_t stream = nullptr, upper_edge edge = upper_edge::included) {
  return detail::even<1, 1>(samples, detail::line(samples, n), &counts, &bins, &lower, &upper,
                            edge == upper_edge::included, stream);
}

// Bin i holds the samples in [levels[i], levels[i + 1]); `levels` is device memory, bins + 1 numbers that never fall.
template <class SampleIterator, class Counter, class Level, class Size>
cudaError_t histogram_range(SampleIterator samples, Size n, Counter* counts, int bins, const Level* levels,
                            cudaStream_t stream = nullptr, upper_edge edge = upper_edge::included) {
  return detail::range<1, 1>(samples, detail::line(samples, n), &counts, &bins, &levels, edge == upper_edge::included,
                             stream);
}

// counts[v] is how often the integer v occurs, 0 <= v < bins; other values are not counted.
template <class SampleIterator, class Counter, class Size>
cudaError_t bincount(SampleIterator samples, Size n, Counter* counts, int bins, cudaStream_t stream = nullptr) {
  static_assert(std::is_integral_v<detail::sample_of<SampleIterator>>, "bincount counts integers");
  return histogram_even(samples, n, counts, bins, 0, bins, stream, upper_edge::excluded);
}

// Pixels of `Channels` interleaved samples, the first `Active` of them counted, each with bins and levels of its own.
template <int Channels, int Active, class SampleIterator, class Counter, class Level, class Size>
cudaError_t multi_histogram_even(SampleIterator samples, Size pixels, Counter* const (&counts)[Active],
                                 const int (&bins)[Active], const Level (&lower)[Active], const Level (&upper)[Active],
                                 cudaStream_t stream = nullptr, upper_edge edge = upper_edge::included) {
  return detail::even<Channels, Active>(samples, detail::line(samples, pixels, Channels), counts, bins, lower, upper,
                                        edge == upper_edge::included, stream);
}

template <int Channels, int Active, class SampleIterator, class Counter, class Level, class Size>
cudaError_t multi_histogram_range(SampleIterator samples, Size pixels, Counter* const (&counts)[Active],
                                  const int (&bins)[Active], const Level* const (&levels)[Active],
                                  cudaStream_t stream = nullptr, upper_edge edge = upper_edge::included) {
  return detail::range<Channels, Active>(samples, detail::line(samples, pixels, Channels), counts, bins, levels,
                                         edge == upper_edge::included, stream);
}

// A region of `rows` rows of `row_pixels` pixels, the starts of rows `row_stride_bytes` apart.
template <int Channels, int Active, class SampleIterator, class Counter, class Level, class Size>
cudaError_t multi_histogram_even(SampleIterator samples, Size row_pixels, Size rows, size_t row_stride_bytes,
                                 Counter* const (&counts)[Active], const int (&bins)[Active],
                                 const Level (&lower)[Active], const Level (&upper)[Active],
                                 cudaStream_t stream = nullptr, upper_edge edge = upper_edge::included) {
  return detail::even<Channels, Active>(samples, detail::region(row_pixels, rows, row_stride_bytes, Channels), counts,
                                        bins, lower, upper, edge == upper_edge::included, stream);
}

template <int Channels, int Active, class SampleIterator, class Counter, class Level, class Size>
cudaError_t multi_histogram_range(SampleIterator samples, Size row_pixels, Size rows, size_t row_stride_bytes,
                                  Counter* const (&counts)[Active], const int (&bins)[Active],
                                  const Level* const (&levels)[Active], cudaStream_t stream = nullptr,
                                  upper_edge edge = upper_edge::included) {
  return detail::range<Channels, Active>(samples, detail::region(row_pixels, rows, row_stride_bytes, Channels), counts,
                                         bins, levels, edge == upper_edge::included, stream);
}

} // namespace tollgate
