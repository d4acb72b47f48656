// Where a block counts: tables in shared memory, each with the way a key is counted in it.
//
// Five of them, chosen by the number of keys (plan.h):
//   owned     `copies` counters for each key; a lane has one of its own, so that with 32 copies a warp never meets in a
//             bank, whatever the data
//   swizzled  one to eight counters for each key, the bank chosen by a hash of the key's row, against strides over
//             banks
//   parted    one counter for each key of a part: as many blocks as there are parts read the same samples, one part
//   each packed    counters of 16, 8 or 4 bits, for all keys, or for a part of them and the kernel launched once for
//   each
//             part (packed.h)
//   spilling  the first keys in shared memory, a cache of the first-come keys beside it, all others in global memory
#pragma once
#include "bins.h"

namespace tollgate::detail {

enum class Table { owned, swizzled, parted, packed, spilling };

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
  uint32_t fields;      // packed: log2 of the counters in a word
  uint32_t cache_shift; // packed, spilling: 32 - log2(slots of the cache)
  uint32_t window;      // parted, packed, spilling: the first key of this part, or of this launch
  uint32_t window_keys; // and how many follow; otherwise all
  uint32_t parts = 1;   // parted: how many blocks read the same samples
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

inline constexpr uint32_t spare_words = 32; // at the end of the table, for keys of other parts

template <class Counter> __device__ inline void add_to(Counter* counter, uint64_t amount) {
  if constexpr (sizeof(Counter) == 8) {
    atomicAdd(reinterpret_cast<unsigned long long*>(counter), static_cast<unsigned long long>(amount));
  } else {
    atomicAdd(reinterpret_cast<unsigned*>(counter), static_cast<unsigned>(amount));
  }
}

// The word of a key's copy. A row is 32 words: a hash of the row's number permutes its banks, copy bits untouched.
__device__ inline uint32_t swizzled_word(uint32_t word, uint32_t copies) {
  const uint32_t hash = __umulhi(word & ~31u, 0x9E3779B1u); // its low bits: the row's number times 19.77
  return word ^ (hash & (32 - copies));
}

template <class Job> __device__ void add_key(const Job& job, uint32_t key, uint64_t amount);

__device__ inline uint32_t shared_start() { return static_cast<uint32_t>(__cvta_generic_to_shared(shared_words())); }

// A lane's own copy of a key stands at key * bytes between keys + where the lane's first copy is.
template <int Active> struct OwnedSink {
  static constexpr int most_in_flight = 6;
  static constexpr bool reads_once = true;
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

template <int Active, bool parted> struct SwizzledSink {
  static constexpr int most_in_flight = 6;
  static constexpr bool reads_once = !parted;
  uint32_t start;
  uint32_t copies;
  uint32_t spare; // the word for keys of other parts: one, as equal addresses are added up
  uint32_t first[Active];
  template <class Job>
  __device__ SwizzledSink(const Job& job, const TableShape& shape)
      : start(shared_start()), copies(parted ? 1 : shape.copies), spare(shape.window_keys) {
    const uint32_t copy = threadIdx.x & (copies - 1);
#pragma unroll
    for (int c = 0; c < Active; ++c) first[c] = (job.first_key[c] - shape.window) * copies + copy;
  }
  template <int Channel, class Job> __device__ void count(const Job&, uint32_t key) {
    if constexpr (parted) {
      count_shared(start + swizzled_word(min(key + first[Channel], spare), 1) * 4);
    } else {
      count_shared(start + swizzled_word(key * copies + first[Channel], copies) * 4);
    }
  }
  template <class Job> __device__ void finish(const Job&) {}
};

inline constexpr uint32_t empty_slot = 0xffffffffu;

// The cache: tags behind the table, counts behind the tags. A slot belongs to the first key that asks for it; returns
// the word that counts for `key`, 0 where another key has the slot.
__device__ inline uint32_t cached_word(const TableShape& shape, uint32_t key) {
  const uint32_t slot = (key * 0x9E3779B1u) >> shape.cache_shift;
  const uint32_t tags = shape.words;
  uint32_t tag = static_cast<volatile uint32_t*>(shared_words())[tags + slot];
  if (tag == empty_slot) {
    tag = atomicCAS(&shared_words()[tags + slot], empty_slot, key);
    if (tag == empty_slot) tag = key;
  }
  return tag == key ? tags + (1u << (32 - shape.cache_shift)) + slot : 0;
}

// Keys in shared memory, cached keys, and the rest: equal neighbours among the rest are added up in registers first.
template <int Active> struct SpillingSink {
  static constexpr int most_in_flight = 2;
  static constexpr bool reads_once = true;
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
    const uint32_t word = cached_word(shape, key);
    if (word != 0) count_shared(start + word * 4);
    return word != 0;
  }
  template <class Job> __device__ void finish(const Job& job) {
    if (held != 0) add_key(job, held_key, held);
  }
};

} // namespace tollgate::detail
