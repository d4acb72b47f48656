// From the arguments of a call to rules, and from rules to a launch.
#pragma once
#include "plan.h"
#include "rules.h"

namespace tollgate::detail {

// The shape of the input in samples; `bad` where the caller's numbers make no sense.
struct Extent {
  uint64_t row_samples = 0;
  uint64_t rows = 1;
  uint64_t stride = 0;
  bool bad = false;
};

template <class Size> Extent region(Size row_pixels, Size rows, size_t stride, int channels) {
  Extent extent;
  if constexpr (std::is_signed_v<Size>) extent.bad = row_pixels < 0 || rows < 0;
  extent.row_samples = static_cast<uint64_t>(row_pixels) * channels;
  extent.rows = static_cast<uint64_t>(rows);
  extent.stride = stride;
  return extent;
}

template <class It, class Size> Extent line(It, Size pixels, int channels = 1) {
  return region(pixels, Size(1), static_cast<size_t>(pixels) * channels * sizeof(sample_of<It>), channels);
}

template <class It> bool make_input(It samples, const Extent& extent, Input<It>& input) {
  constexpr size_t size = sizeof(sample_of<It>);
  input = {samples, extent.row_samples, extent.rows, extent.stride, 0};
  if (extent.bad || extent.stride % size != 0) return false;
  if (input.rows != 0 && input.stride == input.row_samples * size) { // rows without gaps are one row
    input.row_samples *= input.rows;
    input.rows = 1;
  }
  if constexpr (std::is_pointer_v<It>) {
    const bool empty = input.rows == 0 || input.row_samples == 0;
    if (!empty && samples == nullptr) return false;
    if (reinterpret_cast<uintptr_t>(samples) % alignof(sample_of<It>) != 0) return false;
  }
  return true;
}

template <class Counter> bool bad_results(Counter* const* results, const int* bins, int active) {
  static_assert(std::is_integral_v<Counter> && (sizeof(Counter) == 4 || sizeof(Counter) == 8),
                "counters are 32 or 64-bit integers");
  for (int c = 0; c < active; ++c) {
    if (results[c] == nullptr || bins[c] < 1) return true;
  }
  return false;
}

// Fills a Counting from one rule a channel and launches it; bytes are counted by value.
template <int Channels, int Active, class Rule, class Counter, class It>
cudaError_t count_with(const Rule (&rules)[Active], Counter* const* results, const int* bins, const Input<It>& input,
                       cudaStream_t stream) {
  using T = sample_of<It>;
  constexpr bool bytes = sizeof(T) == 1;
  using Keys = std::conditional_t<bytes, ByteKeys<T>, Rule>;
  using Bins = std::conditional_t<bytes, ByteBin<Rule>, SameBin>;
  Counting<Keys, Bins, Counter, Active> job{};
  for (int c = 0; c < Active; ++c) {
    if constexpr (bytes) {
      job.bins[c].rule = rules[c];
    } else {
      job.keys[c] = rules[c];
      job.bins[c] = {static_cast<uint32_t>(bins[c]) - 1, rules[c].width() - 1};
    }
    job.result[c] = results[c];
    job.result_bins[c] = static_cast<uint32_t>(bins[c]);
  }
  return count_all<Channels, Active, bytes>(job, input, stream);
}

template <int Channels, int Active, class T, class Counter, class It>
cudaError_t count_offsets(const IntegerRange<T>* ranges, Counter* const* results, const int* bins,
                          const Input<It>& input, cudaStream_t stream) {
  Counting<OffsetKeys<T>, StretchedBin, Counter, Active> job{};
  for (int c = 0; c < Active; ++c) {
    job.keys[c] = offset_rule(ranges[c]);
    job.bins[c] = {static_cast<uint32_t>(bins[c]), static_cast<uint32_t>(ranges[c].range()), job.keys[c].keys};
    job.result[c] = results[c];
    job.result_bins[c] = static_cast<uint32_t>(bins[c]);
  }
  return count_all<Channels, Active, false>(job, input, stream);
}

// Integer samples of more than a byte between integer levels.
template <int Channels, int Active, class Counter, class L, class It>
cudaError_t even_integers(const Input<It>& input, Counter* const* results, const int* bins, const L* lower,
                          const L* upper, bool closed, cudaStream_t stream) {
  using T = sample_of<It>;
  alignas(IntegerRange<T>) unsigned char room[sizeof(IntegerRange<T>) * Active];
  IntegerRange<T>* ranges = reinterpret_cast<IntegerRange<T>*>(room);
  bool offsets = true, narrow = sizeof(T) <= 4, brief = sizeof(T) == 2, wide = sizeof(T) == 8;
  for (int c = 0; c < Active; ++c) {
    if (!(lower[c] < upper[c])) return cudaErrorInvalidValue;
    new (&ranges[c]) IntegerRange<T>(lower[c], upper[c], closed);
    const bool stretched = ranges[c].range() <= bins[c];
    offsets = offsets && stretched && !ranges[c].empty();
    narrow = narrow && !stretched && !ranges[c].empty() && ranges[c].values() <= (__int128{1} << 32);
    wide = wide && fits_long(ranges[c], static_cast<uint32_t>(bins[c]));
    brief = brief && narrow && ranges[c].range() <= 65536 && !ranges[c].closed;
  }
  if constexpr (sizeof(T) > 1) {
    if (offsets) return count_offsets<Channels, Active>(ranges, results, bins, input, stream);
  }
  if constexpr (sizeof(T) == 2) {
    if (brief) {
      EvenShortBins<T> rules[Active];
      for (int c = 0; c < Active; ++c) rules[c] = short_rule(ranges[c], static_cast<uint32_t>(bins[c]));
      return count_with<Channels, Active>(rules, results, bins, input, stream);
    }
  }
  if constexpr (sizeof(T) == 2 || sizeof(T) == 4) {
    if (narrow) {
      EvenIntBins<T> rules[Active];
      for (int c = 0; c < Active; ++c) rules[c] = narrow_rule(ranges[c], static_cast<uint32_t>(bins[c]));
      return count_with<Channels, Active>(rules, results, bins, input, stream);
    }
  }
  if constexpr (sizeof(T) == 8) {
    if (wide) {
      EvenLongBins<T> rules[Active];
      for (int c = 0; c < Active; ++c) rules[c] = long_rule(ranges[c], static_cast<uint32_t>(bins[c]));
      return count_with<Channels, Active>(rules, results, bins, input, stream);
    }
  }
  EvenAnyBins<T> rules[Active];
  for (int c = 0; c < Active; ++c) rules[c] = any_rule(ranges[c], static_cast<uint32_t>(bins[c]));
  return count_with<Channels, Active>(rules, results, bins, input, stream);
}

template <int Channels, int Active, class Counter, class L, class It>
cudaError_t even(It samples, const Extent& extent, Counter* const* results, const int* bins, const L* lower,
                 const L* upper, bool closed, cudaStream_t stream) {
  static_assert(1 <= Active && Active <= Channels && Channels <= 4, "1 to 4 channels, at least one of them active");
  using T = sample_of<It>;
  Input<It> input;
  if (!make_input(samples, extent, input) || bad_results(results, bins, Active)) return cudaErrorInvalidValue;
  if constexpr (is_float<T> || is_float<L>) {
    using F = common_float<T, L>;
    EvenFloatBins<T, F> rules[Active];
    for (int c = 0; c < Active; ++c) {
      const bool good =
          float_rule(to_float<F>(lower[c]), to_float<F>(upper[c]), static_cast<uint32_t>(bins[c]), closed, rules[c]);
      if (!good) return cudaErrorInvalidValue;
    }
    return count_with<Channels, Active>(rules, results, bins, input, stream);
  } else {
    return even_integers<Channels, Active>(input, results, bins, lower, upper, closed, stream);
  }
}

template <int Channels, int Active, class Counter, class L, class It>
cudaError_t range(It samples, const Extent& extent, Counter* const* results, const int* bins, const L* const* levels,
                  bool closed, cudaStream_t stream) {
  static_assert(1 <= Active && Active <= Channels && Channels <= 4, "1 to 4 channels, at least one of them active");
  using T = sample_of<It>;
  Input<It> input;
  if (!make_input(samples, extent, input) || bad_results(results, bins, Active)) return cudaErrorInvalidValue;
  RangeBins<T, L> rules[Active];
  for (int c = 0; c < Active; ++c) {
    if (levels[c] == nullptr) return cudaErrorInvalidValue;
    rules[c] = range_rule<T>(levels[c], static_cast<uint32_t>(bins[c]), closed);
  }
  return count_with<Channels, Active>(rules, results, bins, input, stream);
}

} // namespace tollgate::detail
