/// \defgroup device_histogram device_histogram.h
/// `cub::DeviceHistogram`'s signatures over tollgate's histograms: to change over, change one name.
#pragma once
#include "histogram.h"

#include <cuda/std/array>

namespace tollgate {

/// `cub::DeviceHistogram`'s signatures over tollgate's histograms: to change over, change one name.
///
/// As with CUB, a call with d_temp_storage == nullptr only tells how much temporary storage is wanted (one byte: none
/// is used), the upper level is excluded, and results are overwritten. There is one level more than bins. Samples,
/// counters, streams and errors are as in histogram.h. Calls from device code are not offered.
/// \ingroup device_histogram
struct DeviceHistogram {
  /// num_levels - 1 bins of equal width over [lower_level, upper_level).
  template <typename SampleIteratorT, typename CounterT, typename LevelT, typename OffsetT>
  static cudaError_t HistogramEven(void* d_temp_storage, size_t& temp_storage_bytes, SampleIteratorT d_samples,
                                   CounterT* d_histogram, int num_levels, LevelT lower_level, LevelT upper_level,
                                   OffsetT num_samples, cudaStream_t stream = 0) {
    return even<1, 1>(d_temp_storage, temp_storage_bytes, d_samples, &d_histogram, &num_levels, &lower_level,
                      &upper_level, detail::line(d_samples, num_samples), stream);
  }

  /// The same for `num_rows` rows of `num_row_samples` samples, the starts of rows `row_stride_bytes` apart.
  template <typename SampleIteratorT, typename CounterT, typename LevelT, typename OffsetT>
  static cudaError_t HistogramEven(void* d_temp_storage, size_t& temp_storage_bytes, SampleIteratorT d_samples,
                                   CounterT* d_histogram, int num_levels, LevelT lower_level, LevelT upper_level,
                                   OffsetT num_row_samples, OffsetT num_rows, size_t row_stride_bytes,
                                   cudaStream_t stream = 0) {
    return even<1, 1>(d_temp_storage, temp_storage_bytes, d_samples, &d_histogram, &num_levels, &lower_level,
                      &upper_level, detail::region(num_row_samples, num_rows, row_stride_bytes, 1), stream);
  }

  /// Pixels of NUM_CHANNELS interleaved samples, 1 to 4, the first NUM_ACTIVE_CHANNELS of them counted.
  template <int NUM_CHANNELS, int NUM_ACTIVE_CHANNELS, typename SampleIteratorT, typename CounterT, typename LevelT,
            typename OffsetT>
  static cudaError_t
  MultiHistogramEven(void* d_temp_storage, size_t& temp_storage_bytes, SampleIteratorT d_samples,
                     CounterT* d_histogram[NUM_ACTIVE_CHANNELS], const int num_levels[NUM_ACTIVE_CHANNELS],
                     const LevelT lower_level[NUM_ACTIVE_CHANNELS], const LevelT upper_level[NUM_ACTIVE_CHANNELS],
                     OffsetT num_pixels, cudaStream_t stream = 0) {
    return even<NUM_CHANNELS, NUM_ACTIVE_CHANNELS>(d_temp_storage, temp_storage_bytes, d_samples, d_histogram,
                                                   num_levels, lower_level, upper_level,
                                                   detail::line(d_samples, num_pixels, NUM_CHANNELS), stream);
  }

  /// The same for `num_rows` rows of `num_row_pixels` pixels, the starts of rows `row_stride_bytes` apart.
  template <int NUM_CHANNELS, int NUM_ACTIVE_CHANNELS, typename SampleIteratorT, typename CounterT, typename LevelT,
            typename OffsetT>
  static cudaError_t
  MultiHistogramEven(void* d_temp_storage, size_t& temp_storage_bytes, SampleIteratorT d_samples,
                     CounterT* d_histogram[NUM_ACTIVE_CHANNELS], const int num_levels[NUM_ACTIVE_CHANNELS],
                     const LevelT lower_level[NUM_ACTIVE_CHANNELS], const LevelT upper_level[NUM_ACTIVE_CHANNELS],
                     OffsetT num_row_pixels, OffsetT num_rows, size_t row_stride_bytes, cudaStream_t stream = 0) {
    return even<NUM_CHANNELS, NUM_ACTIVE_CHANNELS>(
        d_temp_storage, temp_storage_bytes, d_samples, d_histogram, num_levels, lower_level, upper_level,
        detail::region(num_row_pixels, num_rows, row_stride_bytes, NUM_CHANNELS), stream);
  }

  /// Pixels, with the arguments of the channels in arrays.
  template <int NUM_CHANNELS, int NUM_ACTIVE_CHANNELS, typename SampleIteratorT, typename CounterT, typename LevelT,
            typename OffsetT>
  static cudaError_t MultiHistogramEven(void* d_temp_storage, size_t& temp_storage_bytes, SampleIteratorT d_samples,
                                        ::cuda::std::array<CounterT*, NUM_ACTIVE_CHANNELS> d_histogram,
                                        ::cuda::std::array<int, NUM_ACTIVE_CHANNELS> num_levels,
                                        ::cuda::std::array<LevelT, NUM_ACTIVE_CHANNELS> lower_level,
                                        ::cuda::std::array<LevelT, NUM_ACTIVE_CHANNELS> upper_level, OffsetT num_pixels,
                                        cudaStream_t stream = 0) {
    return even<NUM_CHANNELS, NUM_ACTIVE_CHANNELS>(d_temp_storage, temp_storage_bytes, d_samples, d_histogram.data(),
                                                   num_levels.data(), lower_level.data(), upper_level.data(),
                                                   detail::line(d_samples, num_pixels, NUM_CHANNELS), stream);
  }

  /// Rows of pixels, with the arguments of the channels in arrays.
  template <int NUM_CHANNELS, int NUM_ACTIVE_CHANNELS, typename SampleIteratorT, typename CounterT, typename LevelT,
            typename OffsetT>
  static cudaError_t MultiHistogramEven(void* d_temp_storage, size_t& temp_storage_bytes, SampleIteratorT d_samples,
                                        ::cuda::std::array<CounterT*, NUM_ACTIVE_CHANNELS> d_histogram,
                                        ::cuda::std::array<int, NUM_ACTIVE_CHANNELS> num_levels,
                                        ::cuda::std::array<LevelT, NUM_ACTIVE_CHANNELS> lower_level,
                                        ::cuda::std::array<LevelT, NUM_ACTIVE_CHANNELS> upper_level,
                                        OffsetT num_row_pixels, OffsetT num_rows, size_t row_stride_bytes,
                                        cudaStream_t stream = 0) {
    return even<NUM_CHANNELS, NUM_ACTIVE_CHANNELS>(
        d_temp_storage, temp_storage_bytes, d_samples, d_histogram.data(), num_levels.data(), lower_level.data(),
        upper_level.data(), detail::region(num_row_pixels, num_rows, row_stride_bytes, NUM_CHANNELS), stream);
  }

  /// Bin i holds the samples in [d_levels[i], d_levels[i + 1]); the levels are in device memory.
  template <typename SampleIteratorT, typename CounterT, typename LevelT, typename OffsetT>
  static cudaError_t HistogramRange(void* d_temp_storage, size_t& temp_storage_bytes, SampleIteratorT d_samples,
                                    CounterT* d_histogram, int num_levels, const LevelT* d_levels, OffsetT num_samples,
                                    cudaStream_t stream = 0) {
    return range<1, 1>(d_temp_storage, temp_storage_bytes, d_samples, &d_histogram, &num_levels, &d_levels,
                       detail::line(d_samples, num_samples), stream);
  }

  /// The same for `num_rows` rows of `num_row_samples` samples, the starts of rows `row_stride_bytes` apart.
  template <typename SampleIteratorT, typename CounterT, typename LevelT, typename OffsetT>
  static cudaError_t HistogramRange(void* d_temp_storage, size_t& temp_storage_bytes, SampleIteratorT d_samples,
                                    CounterT* d_histogram, int num_levels, const LevelT* d_levels,
                                    OffsetT num_row_samples, OffsetT num_rows, size_t row_stride_bytes,
                                    cudaStream_t stream = 0) {
    return range<1, 1>(d_temp_storage, temp_storage_bytes, d_samples, &d_histogram, &num_levels, &d_levels,
                       detail::region(num_row_samples, num_rows, row_stride_bytes, 1), stream);
  }

  /// Pixels of NUM_CHANNELS interleaved samples, the first NUM_ACTIVE_CHANNELS of them counted, with levels in device
  /// memory.
  template <int NUM_CHANNELS, int NUM_ACTIVE_CHANNELS, typename SampleIteratorT, typename CounterT, typename LevelT,
            typename OffsetT>
  static cudaError_t
  MultiHistogramRange(void* d_temp_storage, size_t& temp_storage_bytes, SampleIteratorT d_samples,
                      CounterT* d_histogram[NUM_ACTIVE_CHANNELS], const int num_levels[NUM_ACTIVE_CHANNELS],
                      const LevelT* const d_levels[NUM_ACTIVE_CHANNELS], OffsetT num_pixels, cudaStream_t stream = 0) {
    return range<NUM_CHANNELS, NUM_ACTIVE_CHANNELS>(d_temp_storage, temp_storage_bytes, d_samples, d_histogram,
                                                    num_levels, d_levels,
                                                    detail::line(d_samples, num_pixels, NUM_CHANNELS), stream);
  }

  /// The same for `num_rows` rows of `num_row_pixels` pixels, the starts of rows `row_stride_bytes` apart.
  template <int NUM_CHANNELS, int NUM_ACTIVE_CHANNELS, typename SampleIteratorT, typename CounterT, typename LevelT,
            typename OffsetT>
  static cudaError_t MultiHistogramRange(void* d_temp_storage, size_t& temp_storage_bytes, SampleIteratorT d_samples,
                                         CounterT* d_histogram[NUM_ACTIVE_CHANNELS],
                                         const int num_levels[NUM_ACTIVE_CHANNELS],
                                         const LevelT* const d_levels[NUM_ACTIVE_CHANNELS], OffsetT num_row_pixels,
                                         OffsetT num_rows, size_t row_stride_bytes, cudaStream_t stream = 0) {
    return range<NUM_CHANNELS, NUM_ACTIVE_CHANNELS>(
        d_temp_storage, temp_storage_bytes, d_samples, d_histogram, num_levels, d_levels,
        detail::region(num_row_pixels, num_rows, row_stride_bytes, NUM_CHANNELS), stream);
  }

  /// Pixels, with the arguments of the channels in arrays.
  template <int NUM_CHANNELS, int NUM_ACTIVE_CHANNELS, typename SampleIteratorT, typename CounterT, typename LevelT,
            typename OffsetT>
  static cudaError_t MultiHistogramRange(void* d_temp_storage, size_t& temp_storage_bytes, SampleIteratorT d_samples,
                                         ::cuda::std::array<CounterT*, NUM_ACTIVE_CHANNELS> d_histogram,
                                         ::cuda::std::array<int, NUM_ACTIVE_CHANNELS> num_levels,
                                         ::cuda::std::array<const LevelT*, NUM_ACTIVE_CHANNELS> d_levels,
                                         OffsetT num_pixels, cudaStream_t stream = 0) {
    return range<NUM_CHANNELS, NUM_ACTIVE_CHANNELS>(d_temp_storage, temp_storage_bytes, d_samples, d_histogram.data(),
                                                    num_levels.data(), d_levels.data(),
                                                    detail::line(d_samples, num_pixels, NUM_CHANNELS), stream);
  }

  /// Rows of pixels, with the arguments of the channels in arrays.
  template <int NUM_CHANNELS, int NUM_ACTIVE_CHANNELS, typename SampleIteratorT, typename CounterT, typename LevelT,
            typename OffsetT>
  static cudaError_t MultiHistogramRange(void* d_temp_storage, size_t& temp_storage_bytes, SampleIteratorT d_samples,
                                         ::cuda::std::array<CounterT*, NUM_ACTIVE_CHANNELS> d_histogram,
                                         ::cuda::std::array<int, NUM_ACTIVE_CHANNELS> num_levels,
                                         ::cuda::std::array<const LevelT*, NUM_ACTIVE_CHANNELS> d_levels,
                                         OffsetT num_row_pixels, OffsetT num_rows, size_t row_stride_bytes,
                                         cudaStream_t stream = 0) {
    return range<NUM_CHANNELS, NUM_ACTIVE_CHANNELS>(
        d_temp_storage, temp_storage_bytes, d_samples, d_histogram.data(), num_levels.data(), d_levels.data(),
        detail::region(num_row_pixels, num_rows, row_stride_bytes, NUM_CHANNELS), stream);
  }

private:
  // True where this call only asks for the size of the temporary storage.
  static bool asks_for_size(void* temp, size_t& bytes) {
    if (temp != nullptr) return false;
    bytes = 1;
    return true;
  }

  template <int Channels, int Active, class It, class Counter, class Level>
  static cudaError_t even(void* temp, size_t& bytes, It samples, Counter* const* counts, const int* levels,
                          const Level* lower, const Level* upper, const detail::Extent& extent, cudaStream_t stream) {
    if (asks_for_size(temp, bytes)) return cudaSuccess;
    int bins[Active];
    for (int c = 0; c < Active; ++c) bins[c] = levels[c] - 1;
    return detail::even<Channels, Active>(samples, extent, counts, bins, lower, upper, false, stream);
  }

  template <int Channels, int Active, class It, class Counter, class Level>
  static cudaError_t range(void* temp, size_t& bytes, It samples, Counter* const* counts, const int* levels,
                           const Level* const* edges, const detail::Extent& extent, cudaStream_t stream) {
    if (asks_for_size(temp, bytes)) return cudaSuccess;
    int bins[Active];
    for (int c = 0; c < Active; ++c) bins[c] = levels[c] - 1;
    return detail::range<Channels, Active>(samples, extent, counts, bins, edges, false, stream);
  }
};

} // namespace tollgate
