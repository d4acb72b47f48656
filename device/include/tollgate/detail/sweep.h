// The kernel: every block counts its share of the samples in a table of its own and adds the table to the result.
#pragma once
#include "packed.h"

namespace tollgate::detail {

// The channel is known when the code is made.
template <int Channels, int Channel, int Active, class Job, class Sink, class T>
__device__ inline void count_sample(const Job& job, Sink& sink, T x) {
  if constexpr (Channel < Active) {
    sink.template count<Channel>(job, key_of(job.keys[Channel], x));
  }
}

template <int Channels, int Active, int Channel = 0, class Job, class Sink, class It>
__device__ inline void count_pixel(const Job& job, Sink& sink, It pixel) {
  if constexpr (Channel < Active) {
    count_sample<Channels, Channel, Active>(job, sink, pixel[Channel]);
    count_pixel<Channels, Active, Channel + 1>(job, sink, pixel);
  }
}

template <int Channels, int Active, class Job, class Sink, class It>
__device__ inline void count_scalar(const Job& job, Sink& sink, It row, uint64_t first, uint64_t last, uint64_t rank,
                                    uint64_t team) {
  for (uint64_t pixel = first + rank; pixel < last; pixel += team) {
    count_pixel<Channels, Active>(job, sink, row + pixel * Channels);
  }
}

constexpr int common_divisor(int a, int b) { return b == 0 ? a : common_divisor(b, a % b); }

// Samples of type T in the smallest run of whole 16-byte vectors that is also a run of whole pixels.
template <class T, int Channels> struct Bundle {
  static constexpr int in_vector = 16 / static_cast<int>(sizeof(T));
  static constexpr int vectors = Channels / common_divisor(Channels, in_vector);
  static constexpr int samples = vectors * in_vector;
  uint4 data[vectors];

  template <bool once> __device__ void load(const uint4* from) {
#pragma unroll
    for (int v = 0; v < vectors; ++v) data[v] = once ? __ldcs(from + v) : __ldcg(from + v); // read once: evicted first
  }
};

template <class T> __device__ inline T sample_in(const uint4& vector, int index) {
  T values[16 / sizeof(T)];
  memcpy(values, &vector, 16);
  return values[index];
}

template <class Sink, class = void> inline constexpr bool takes_vectors = false;
template <class Sink> inline constexpr bool takes_vectors<Sink, std::void_t<typename Sink::Update>> = true;

// A vector of samples of one channel, for a sink that likes to see them together.
template <class T, class Job, class Sink>
__device__ inline void count_vector(const Job& job, Sink& sink, const uint4& vector) {
  constexpr int n = 16 / static_cast<int>(sizeof(T));
  uint32_t at[n];
#pragma unroll
  for (int i = 0; i < n; ++i) at[i] = sink.template place<0>(key_of(job.keys[0], sample_in<T>(vector, i)));
  sink.count_places(job, at);
}

template <class T, int Channels, int Active, int Index = 0, class Job, class Sink>
__device__ inline void count_bundle(const Job& job, Sink& sink, const Bundle<T, Channels>& bundle) {
  using B = Bundle<T, Channels>;
  if constexpr (takes_vectors<Sink> && Channels == 1) {
    count_vector<T>(job, sink, bundle.data[0]);
  } else if constexpr (Index < B::samples) {
    count_sample<Channels, Index % Channels, Active>(
        job, sink, sample_in<T>(bundle.data[Index / B::in_vector], Index % B::in_vector));
    count_bundle<T, Channels, Active, Index + 1>(job, sink, bundle);
  }
}

// Pixels before the first one that starts at a boundary of 16 bytes, or of 128 where rows are long: a warp's vectors
// then fill whole cache lines. All pixels if none does.
template <class T, int Channels> __device__ inline uint64_t unaligned_pixels(const T* row, uint64_t pixels) {
  constexpr uint32_t size = sizeof(T) * Channels;
  const uint32_t boundary = pixels * size >= 8192 ? 128 : 16;
  const uint32_t missing = (0 - static_cast<uint32_t>(reinterpret_cast<uint64_t>(row))) & (boundary - 1);
  if constexpr ((size & (size - 1)) == 0 && size <= 16) {
    return missing % size != 0 ? pixels : missing / size < pixels ? missing / size : pixels;
  } else {
    for (uint32_t pixel = 0; pixel < boundary && pixel < pixels; ++pixel) {
      if (((missing - pixel * size) & (boundary - 1)) == 0) return pixel;
    }
    return pixels;
  }
}

template <int Channels, int Active, class Job, class Sink, class T>
__device__ inline void count_memory(const Job& job, Sink& sink, const T* row, uint64_t pixels, uint64_t rank,
                                    uint64_t team) {
  using B = Bundle<T, Channels>;
  constexpr int wanted = B::vectors > 1 ? 2 : sizeof(T) == 1 ? 4 : 6; // measured, docs/histogram.md
  constexpr int in_flight = wanted < Sink::most_in_flight ? wanted : Sink::most_in_flight;
  const uint64_t head = unaligned_pixels<T, Channels>(row, pixels);
  const uint64_t bundles = (pixels - head) * Channels / B::samples;
  const uint4* at = reinterpret_cast<const uint4*>(row + head * Channels);
  const uint4* const end = at + bundles * B::vectors;
  // What is left before and behind the bundles, as one loop: few pixels, so that a single round is enough.
  const uint64_t counted = bundles * (B::samples / Channels);
  for (uint64_t i = rank; i < pixels - counted; i += team) {
    count_pixel<Channels, Active>(job, sink, row + (i < head ? i : i + counted) * Channels);
  }

  at += rank * B::vectors;
  const uint32_t step = static_cast<uint32_t>(team) * B::vectors;
  const auto left = [&] { return at + (in_flight - 1) * step < end; };
  if (left()) { // a vector's place is filled again before it is counted: loads are always under way
    B bundles_ahead[in_flight];
#pragma unroll
    for (int i = 0; i < in_flight; ++i) bundles_ahead[i].template load<Sink::reads_once>(at + i * step);
    for (bool more = true; more;) {
      at += in_flight * step;
      more = left();
#pragma unroll
      for (int i = 0; i < in_flight; ++i) {
        const B now = bundles_ahead[i];
        if (more) bundles_ahead[i].template load<Sink::reads_once>(at + i * step);
        count_bundle<T, Channels, Active>(job, sink, now);
      }
    }
  }
  for (; at < end; at += step) {
    B loaded;
    loaded.template load<Sink::reads_once>(at);
    count_bundle<T, Channels, Active>(job, sink, loaded);
  }
}

// `parts` blocks read the same samples.
template <int Channels, int Active, class Job, class Sink, class It>
__device__ inline void count_rows(const Job& job, Sink& sink, const Input<It>& input, uint32_t parts) {
  const uint64_t thread = static_cast<uint64_t>(blockIdx.x / parts) * blockDim.x + threadIdx.x;
  const uint64_t threads = static_cast<uint64_t>(gridDim.x / parts) * blockDim.x;
  const uint64_t team = input.team == 0 ? threads : input.team;
  const uint64_t pixels = input.row_samples / Channels;
  for (uint64_t row = thread / team; row < input.rows; row += threads / team) {
    if constexpr (is_plain_memory<It>) {
      using T = sample_of<It>;
      const char* start = reinterpret_cast<const char*>(input.samples) + row * input.stride;
      count_memory<Channels, Active>(job, sink, reinterpret_cast<const T*>(start), pixels, thread % team, team);
    } else {
      const uint64_t step = input.stride / sizeof(sample_of<It>);
      count_scalar<Channels, Active>(job, sink, input.samples + row * step, 0, pixels, thread % team, team);
    }
  }
}

} // namespace tollgate::detail
