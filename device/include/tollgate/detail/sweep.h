// The kernel: every block counts its share of the samples in a table of its own and adds the table to the result.
//
// Four tables, chosen by the number of keys (plan.h):
//   owned     `copies` counters for each key; a lane has one of its own, so that with 32 copies a warp never meets in a
//             bank, whatever the data
//   swizzled  one to eight counters for each key, the bank chosen by a hash of the key's row, against strides over
//   banks passing   the same for a part of the keys, the kernel being launched for one part after the other spilling
//   the first keys in shared memory, a cache of the first-come keys beside it, all others in global memory
#pragma once
#include "bins.h"

namespace tollgate::detail {

enum class Table { owned, swizzled, passing, spilling };

// The samples: rows of `row_samples`, the starts of rows `stride` bytes apart.
template <class It> struct Input {
  It samples;
  uint64_t row_samples;
  uint64_t rows;
  uint64_t stride;
  uint32_t team; // threads that share a row; a power-of-two share of the grid, or all of it
};

struct TableShape {
  uint32_t copies;      // owned, swizzled: a power of two
  uint32_t words;       // of the shared table with its spare words, without stage and cache
  uint32_t stage;       // words of the stage that sums bytes into bins, 0: none
  uint32_t direct;      // spilling: keys below this stand in shared memory
  uint32_t cache_shift; // spilling: 32 - log2(slots of the cache)
  uint32_t window;      // passing, spilling: the first key of this pass
  uint32_t window_keys; // and how many follow; in one pass all
  bool clears;          // a single block: clears the result itself
};

// What is counted: for each active channel how samples become keys, how keys become bins, and where the bins are.
template <class KeyRule, class BinRule, class Counter, int Active> struct Counting {
  KeyRule keys[Active];
  BinRule bins[Active];
  Counter* result[Active];
  uint32_t first_key[Active + 1]; // the channels' keys stand one after the other in the table
  uint32_t result_bins[Active];
};

__device__ inline uint32_t* shared_words() {
  extern __shared__ uint32_t tollgate_shared_words[];
  return tollgate_shared_words;
}

// Adds one to the 32-bit word at an address of shared memory. As `red` with the constant 1 it becomes the instruction
// that adds up equal addresses of a warp by itself. That instruction takes no predicate: a sample that does not count
// has a key of its own instead (bins.h), which costs less than a branch.
__device__ inline void count_shared(uint32_t address) {
  asm volatile("red.relaxed.cta.shared.add.u32 [%0], 1;" ::"r"(address));
}

inline constexpr uint32_t spare_words = 32; // at the end of the table, for keys of other passes

template <class Counter> __device__ inline void add_to(Counter* counter, uint64_t amount) {
  if constexpr (sizeof(Counter) == 8) {
    atomicAdd(reinterpret_cast<unsigned long long*>(counter), static_cast<unsigned long long>(amount));
  } else {
    atomicAdd(reinterpret_cast<unsigned*>(counter), static_cast<unsigned>(amount));
  }
}

// The word of a key's copy. A row is 32 words: a hash of the row's number permutes its banks, copy bits untouched.
__device__ inline uint32_t swizzled_word(uint32_t word, uint32_t copies) {
  const uint32_t hash = ((word >> 5) * 0x9E3779B1u) >> 27;
  return word ^ (hash & (32 - copies));
}

template <class Job> __device__ void add_key(const Job& job, uint32_t key, uint32_t amount);

__device__ inline uint32_t shared_start() { return static_cast<uint32_t>(__cvta_generic_to_shared(shared_words())); }

// A lane's own copy of a key stands at key * bytes between keys + where the lane's first copy is.
template <int Active> struct OwnedSink {
  static constexpr int most_in_flight = 6;
  uint32_t between_keys;
  uint32_t first[Active];
  template <class Job> __device__ OwnedSink(const Job& job, const TableShape& shape) : between_keys(shape.copies * 4) {
    const uint32_t copy = (threadIdx.x & (shape.copies - 1)) * 4;
#pragma unroll
    for (int c = 0; c < Active; ++c) first[c] = shared_start() + copy + job.first_key[c] * between_keys;
  }
  template <int Channel, class Job> __device__ void count(const Job&, uint32_t key) {
    count_shared(key * between_keys + first[Channel]);
  }
  template <class Job> __device__ void finish(const Job&) {}
};

template <int Active, bool passes> struct SwizzledSink {
  static constexpr int most_in_flight = 6;
  uint32_t start;
  uint32_t copies;
  uint32_t spare; // the word for keys of other passes: one, as equal addresses are added up
  uint32_t first[Active];
  template <class Job>
  __device__ SwizzledSink(const Job& job, const TableShape& shape)
      : start(shared_start()), copies(shape.copies), spare(shape.window_keys * shape.copies) {
    const uint32_t copy = threadIdx.x & (shape.copies - 1);
#pragma unroll
    for (int c = 0; c < Active; ++c) first[c] = (job.first_key[c] - shape.window) * copies + copy;
  }
  template <int Channel, class Job> __device__ void count(const Job&, uint32_t key) {
    const uint32_t word = key * copies + first[Channel];
    count_shared(start + swizzled_word(passes && word >= spare ? spare : word, copies) * 4);
  }
  template <class Job> __device__ void finish(const Job&) {}
};

inline constexpr uint32_t empty_slot = 0xffffffffu;

// Keys in shared memory, cached keys, and the rest: equal neighbours among the rest are added up in registers first.
template <int Active> struct SpillingSink {
  static constexpr int most_in_flight = 2;
  const TableShape& shape;
  uint32_t start;
  uint32_t held_key = empty_slot;
  uint32_t held = 0;
  template <class Job> __device__ SpillingSink(const Job&, const TableShape& s) : shape(s), start(shared_start()) {}

  template <int Channel, class Job> __device__ void count(const Job& job, uint32_t key) {
    key += job.first_key[Channel];
    const uint32_t at = key - shape.window;
    count_shared(start + swizzled_word(at < shape.direct ? at : shape.direct, 1) * 4);
    if (at >= shape.direct && at < shape.window_keys && !cached(key)) {
      if (key != held_key) {
        if (held != 0) add_key(job, held_key, held);
        held_key = key;
        held = 0;
      }
      ++held;
    }
  }
  __device__ bool cached(uint32_t key) {
    const uint32_t slot = (key * 0x9E3779B1u) >> shape.cache_shift;
    const uint32_t tags = shape.words;
    const uint32_t counts = shape.words + (1u << (32 - shape.cache_shift));
    uint32_t tag = static_cast<volatile uint32_t*>(shared_words())[tags + slot];
    if (tag == empty_slot) {
      tag = atomicCAS(&shared_words()[tags + slot], empty_slot, key);
      if (tag == empty_slot) tag = key;
    }
    if (tag == key) count_shared(start + (counts + slot) * 4);
    return tag == key;
  }
  template <class Job> __device__ void finish(const Job& job) {
    if (held != 0) add_key(job, held_key, held);
  }
};

template <Table table, int Active> struct SinkOf {
  using type = SwizzledSink<Active, table == Table::passing>;
};
template <int Active> struct SinkOf<Table::owned, Active> {
  using type = OwnedSink<Active>;
};
template <int Active> struct SinkOf<Table::spilling, Active> {
  using type = SpillingSink<Active>;
};

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

  __device__ void load(const uint4* from) {
#pragma unroll
    for (int v = 0; v < vectors; ++v) data[v] = __ldcs(from + v); // read once: evicted first
  }
};

template <class T> __device__ inline T sample_in(const uint4& vector, int index) {
  T values[16 / sizeof(T)];
  memcpy(values, &vector, 16);
  return values[index];
}

template <class T, int Channels, int Active, int Index = 0, class Job, class Sink>
__device__ inline void count_bundle(const Job& job, Sink& sink, const Bundle<T, Channels>& bundle) {
  using B = Bundle<T, Channels>;
  if constexpr (Index < B::samples) {
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
  const uint64_t step = team * B::vectors;
  const auto left = [&] { return at + (in_flight - 1) * step < end; };
  if (left()) { // a vector's place is filled again before it is counted: loads are always under way
    B bundles_ahead[in_flight];
#pragma unroll
    for (int i = 0; i < in_flight; ++i) bundles_ahead[i].load(at + i * step);
    for (bool more = true; more;) {
      at += in_flight * step;
      more = left();
#pragma unroll
      for (int i = 0; i < in_flight; ++i) {
        const B now = bundles_ahead[i];
        if (more) bundles_ahead[i].load(at + i * step);
        count_bundle<T, Channels, Active>(job, sink, now);
      }
    }
  }
  for (; at < end; at += step) {
    B loaded;
    loaded.load(at);
    count_bundle<T, Channels, Active>(job, sink, loaded);
  }
}

template <int Channels, int Active, class Job, class Sink, class It>
__device__ inline void count_rows(const Job& job, Sink& sink, const Input<It>& input) {
  const uint64_t thread = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const uint64_t threads = static_cast<uint64_t>(gridDim.x) * blockDim.x;
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
