// From the tables of the blocks to the result, and the kernel around it.
#pragma once
#include "sweep.h"

namespace tollgate::detail {

template <int Active, class Job> __device__ inline int channel_of(const Job& job, uint32_t key) {
  int channel = 0;
#pragma unroll
  for (int c = 1; c < Active; ++c) channel += key >= job.first_key[c] ? 1 : 0;
  return channel;
}

template <class KeyRule, class BinRule, class Counter, int Active>
__device__ inline void add_key_of(const Counting<KeyRule, BinRule, Counter, Active>& job, uint32_t key,
                                  uint64_t amount) {
#pragma unroll
  for (int c = 0; c < Active; ++c) {
    if (key >= job.first_key[c] && key < job.first_key[c + 1]) {
      uint32_t bin;
      if (job.bins[c](key - job.first_key[c], bin)) add_to(job.result[c] + bin, amount);
    }
  }
}
template <class Job> __device__ void add_key(const Job& job, uint32_t key, uint64_t amount) {
  add_key_of(job, key, amount);
}

// The sum of a key's copies. Lanes start at different copies, so that a warp's reads fall into different banks.
template <Table table> __device__ inline uint32_t sum_of_copies(const TableShape& shape, uint32_t key) {
  const uint32_t* words = shared_words();
  uint32_t sum = 0;
  for (uint32_t c = 0; c < shape.copies; ++c) {
    const uint32_t word = key * shape.copies + ((c + threadIdx.x) & (shape.copies - 1));
    sum += words[table == Table::owned ? word : swizzled_word(word, shape.copies)];
  }
  return sum;
}

// Many byte values may share one bin: they meet in shared memory, and one number a block goes to the result.
template <class KeyRule, class BinRule, class Counter, int Active>
__device__ inline void stage_key(const Counting<KeyRule, BinRule, Counter, Active>& job, uint32_t* stage, uint32_t key,
                                 uint32_t amount) {
#pragma unroll
  for (int c = 0; c < Active; ++c) {
    if (key >= job.first_key[c] && key < job.first_key[c + 1]) {
      uint32_t bin;
      if (!job.bins[c](key - job.first_key[c], bin)) continue;
      if (job.result_bins[c] <= 256) {
        atomicAdd(&stage[c * 256 + bin], amount);
      } else {
        add_to(job.result[c] + bin, amount);
      }
    }
  }
}

template <class KeyRule, class BinRule, class Counter, int Active>
__device__ inline void flush_stage(const Counting<KeyRule, BinRule, Counter, Active>& job, const uint32_t* stage) {
  for (uint32_t i = threadIdx.x; i < Active * 256; i += blockDim.x) {
    const uint32_t amount = stage[i];
#pragma unroll
    for (int c = 0; c < Active; ++c) {
      if (i / 256 == c && amount != 0) add_to(job.result[c] + i % 256, amount);
    }
  }
}

template <class Job> __device__ inline void flush_spilling(const Job& job, const TableShape& shape) {
  for (uint32_t at = threadIdx.x; at < shape.direct; at += blockDim.x) {
    const uint32_t amount = shared_words()[swizzled_word(at, 1)];
    if (amount != 0) add_key(job, at + shape.window, amount);
  }
  const uint32_t slots = 1u << (32 - shape.cache_shift);
  for (uint32_t slot = threadIdx.x; slot < slots; slot += blockDim.x) {
    const uint32_t amount = shared_words()[shape.words + slots + slot];
    if (amount != 0) add_key(job, shared_words()[shape.words + slot], amount);
  }
}

template <class Job> __device__ inline void flush_packed(const Job& job, const TableShape& shape) {
  const uint32_t bits = 32u >> shape.fields, mask = (2u << (bits - 1)) - 1;
  const uint32_t start = static_cast<uint32_t>(static_cast<uint64_t>(shape.window_keys) * blockIdx.x / gridDim.x);
  for (uint32_t i = threadIdx.x; i < shape.window_keys; i += blockDim.x) {
    const uint32_t key = i + start < shape.window_keys ? i + start : i + start - shape.window_keys;
    const uint32_t word = shared_words()[packed_word(shape, key * 4) / 4];
    const uint32_t amount = (word >> ((key * bits) & 31)) & mask;
    if (amount != 0) add_key(job, key + shape.window, amount);
  }
}

// What the cache holds may be negative (packed.h).
template <class Job> __device__ inline void flush_cache(const Job& job, const TableShape& shape) {
  const uint32_t slots = 1u << (32 - shape.cache_shift);
  for (uint32_t slot = threadIdx.x; slot < slots; slot += blockDim.x) {
    const int64_t amount = static_cast<int32_t>(shared_words()[shape.words + slots + slot]);
    if (amount != 0) add_key(job, shared_words()[shape.words + slot], static_cast<uint64_t>(amount));
  }
}

template <Table table, class Job> __device__ inline void flush(const Job& job, const TableShape& shape) {
  if constexpr (table == Table::spilling) {
    flush_spilling(job, shape);
    return;
  }
  if constexpr (table == Table::packed) {
    flush_packed(job, shape);
    flush_cache(job, shape);
    return;
  }
  uint32_t* stage = shared_words() + shape.words;
  const uint32_t keys = shape.window_keys;
  // Blocks start at different keys: they finish together, and the result's counters would queue.
  const uint32_t start = static_cast<uint32_t>(static_cast<uint64_t>(keys) * blockIdx.x / gridDim.x);
  for (uint32_t i = threadIdx.x; i < keys; i += blockDim.x) {
    const uint32_t key = i + start < keys ? i + start : i + start - keys;
    const uint32_t amount = sum_of_copies<table>(shape, key);
    if (amount == 0) continue;
    if (shape.stage != 0) {
      stage_key(job, stage, key, amount);
    } else {
      add_key(job, key + shape.window, amount);
    }
  }
  if (shape.stage != 0) {
    __syncthreads();
    flush_stage(job, stage);
  }
}

template <class KeyRule, class BinRule, class Counter, int Active>
__device__ inline void clear_result(const Counting<KeyRule, BinRule, Counter, Active>& job, uint32_t rank,
                                    uint32_t threads) {
#pragma unroll
  for (int c = 0; c < Active; ++c) {
    for (uint32_t bin = rank; bin < job.result_bins[c]; bin += threads) job.result[c][bin] = 0;
  }
}

// From sm_90 on the counting kernel may start while the kernel before it, which clears the result, still runs.
__device__ inline void let_next_start() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
__device__ inline void wait_for_previous() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

template <class Job> __global__ void __launch_bounds__(1024) clear_kernel(Job job) {
  let_next_start();
  clear_result(job, blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x);
}

template <Table table> __device__ inline void clear_table(const TableShape& shape) {
  uint4* vectors = reinterpret_cast<uint4*>(shared_words());
  const uint32_t words = shape.words + shape.stage;
  for (uint32_t i = threadIdx.x; i < words / 4; i += blockDim.x) vectors[i] = make_uint4(0, 0, 0, 0);
  if constexpr (table == Table::spilling || table == Table::packed) {
    const uint32_t slots = 1u << (32 - shape.cache_shift);
    for (uint32_t i = threadIdx.x; i < 2 * slots; i += blockDim.x) {
      shared_words()[shape.words + i] = i < slots ? empty_slot : 0;
    }
  }
}

template <Table table, int Channels, int Active, class Job, class It>
__global__ void __launch_bounds__(1024) histogram_kernel(Job job, TableShape shape, Input<It> input) {
  const uint32_t parts = table == Table::parted ? shape.parts : 1;
  if constexpr (table == Table::parted) shape.window += blockIdx.x % parts * shape.window_keys;
  if (shape.clears) clear_result(job, threadIdx.x, blockDim.x);
  if constexpr (table == Table::spilling || table == Table::packed) wait_for_previous();
  clear_table<table>(shape);
  __syncthreads();
  typename SinkOf<table, Active>::type sink(job, shape);
  count_rows<Channels, Active>(job, sink, input, parts);
  sink.finish(job);
  wait_for_previous();
  __syncthreads();
  flush<table>(job, shape);
}

} // namespace tollgate::detail
