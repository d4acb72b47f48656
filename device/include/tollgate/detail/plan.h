// Chooses the table by the number of keys and the size of the input, and launches.
#pragma once
#include "flush.h"

#include <algorithm>
#include <cuda_runtime.h>

namespace tollgate::detail {

struct DeviceFacts {
  int multiprocessors = 0;
  int shared_bytes = 0; // what one block may have
  int cache_bytes = 0;  // L2
  int major = 0;        // compute capability

  cudaError_t read() {
    int device = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) {
      error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    }
    if (error == cudaSuccess) {
      error = cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    }
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&cache_bytes, cudaDevAttrL2CacheSize, device);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    return error;
  }
};

struct Work {
  uint64_t samples;      // of all rows
  uint64_t sample_bytes; // of one sample
  uint64_t keys;
  uint64_t result_bytes;
  uint32_t stage;
};

struct Plan {
  Table table;
  TableShape shape;
  int threads;
  size_t shared_bytes;
  uint64_t useful_blocks; // more would have nothing to do
  uint32_t passes;
};

inline constexpr uint64_t single_block_bytes = 16 * 1024;
inline constexpr uint32_t cache_slots = 4096;
inline constexpr uint32_t packed_cache_bits = 10; // log2 of the slots beside narrow counters
inline constexpr uint64_t few_samples = 6;        // of a key and a block, for counters of 4 bits

// With 8 or 4 in place of 32 histograms of more than 112,000 bins run two or three times as fast where the samples are
// spread over the bins, and slower where they meet in few; with 16 those of 58,000 to 112,000 gain or lose a third.
#ifndef TOLLGATE_NARROWEST_COUNTER
#define TOLLGATE_NARROWEST_COUNTER 32
#endif
inline constexpr int narrowest_counter = TOLLGATE_NARROWEST_COUNTER;
static_assert(narrowest_counter == 32 || narrowest_counter == 16 || narrowest_counter == 8 || narrowest_counter == 4,
              "TOLLGATE_NARROWEST_COUNTER is 32, 16, 8 or 4");
inline constexpr uint32_t most_passes = 24;     // over tables larger than the L2 cache
inline constexpr uint32_t most_bytes_read = 24; // of a sample, for all parts of a table beyond shared memory

// Copies cost clearing and adding up: no more words than a block has samples.
inline uint32_t choose_copies(uint64_t keys, uint64_t budget, uint64_t samples_per_block) {
  uint32_t copies = 32;
  while (copies > 1 && keys * copies > budget) copies /= 2;
  while (copies > 1 && keys * copies > std::max<uint64_t>(samples_per_block, 8192)) copies /= 2;
  return copies;
}

inline void plan_spilling(Plan& plan, const Work& work, uint64_t budget, uint64_t samples_per_block,
                          const DeviceFacts& facts) {
  const bool small = samples_per_block < 32768; // clearing and flushing a full table would cost more than it saves
  const uint32_t slots = small ? 1024 : cache_slots;
  plan.table = Table::spilling;
  plan.shape.cache_shift = 32;
  for (uint32_t s = slots; s > 1; s /= 2) --plan.shape.cache_shift;
  const uint64_t most_direct = small ? 0 : budget - 2 * slots;
  const uint64_t window_bytes = static_cast<uint64_t>(facts.cache_bytes) / 4;
  plan.passes = static_cast<uint32_t>(std::min<uint64_t>((work.result_bytes + window_bytes - 1) / window_bytes, 1000));
  if (plan.passes > most_passes || work.samples < 4 * work.keys) plan.passes = 1;
  plan.shape.window_keys = static_cast<uint32_t>((work.keys + plan.passes - 1) / plan.passes);
  plan.shape.direct = static_cast<uint32_t>(std::min<uint64_t>(most_direct, plan.shape.window_keys));
  plan.shape.words = (plan.shape.direct + 31) / 32 * 32 + spare_words;
  plan.shape.copies = 1;
  plan.threads = plan.shape.direct != 0 ? 1024 : 512;
  plan.shared_bytes = (plan.shape.words + 2 * size_t{slots}) * 4;
}

// Each block has a table in shared memory for a part of the keys. The blocks that read the same samples do so at about
// the same time, so that all but one find them in the L2 cache; that costs less than sending most of the samples to the
// L2 cache one by one, and does not depend on the data.
inline void plan_parted(Plan& plan, const Work& work, uint64_t budget) {
  plan.table = Table::parted;
  plan.shape.parts = static_cast<uint32_t>((work.keys + budget - 1) / budget);
  plan.shape.copies = 1;
  plan.shape.window_keys = static_cast<uint32_t>((work.keys + plan.shape.parts - 1) / plan.shape.parts);
  plan.shape.words = (plan.shape.window_keys + 31) / 32 * 32 + spare_words;
  plan.shared_bytes = plan.shape.words * size_t{4};
  plan.threads = 1024;
}

// Narrow counters: all keys in one table, or a part of them at a time. Counters of 4 bits only where blocks meet few
// samples of a key, as each 16th makes work.
inline void plan_packed(Plan& plan, const Work& work, uint64_t words, uint64_t samples_per_block) {
  const bool few = samples_per_block / work.keys < few_samples;
  const uint32_t most = narrowest_counter == 16 ? 1 : narrowest_counter == 4 && few ? 3 : 2;
  plan.table = Table::packed;
  plan.shape.fields = 1;
  while (plan.shape.fields < most && work.keys > words << plan.shape.fields) ++plan.shape.fields;
  const uint64_t held = words << plan.shape.fields;
  plan.passes = static_cast<uint32_t>((work.keys + held - 1) / held);
  plan.shape.copies = 1;
  plan.shape.cache_shift = 32 - packed_cache_bits;
  plan.shape.window_keys = static_cast<uint32_t>((work.keys + plan.passes - 1) / plan.passes);
  plan.shape.words = ((plan.shape.window_keys >> plan.shape.fields) + 32) / 32 * 32;
  plan.shared_bytes = (plan.shape.words + (size_t{2} << packed_cache_bits)) * 4;
  plan.threads = 1024;
}

// How many keys are counted in narrow counters rather than otherwise (docs/histogram.md has the measurements). Samples
// of 2 bytes come so fast that reading them twice costs less.
inline uint64_t most_packed_keys(const Work& work, uint64_t words, uint64_t samples_per_block) {
  if (narrowest_counter == 32 || work.sample_bytes < 4) return 0;
  if (narrowest_counter == 16) return 2 * words;
  const bool few = narrowest_counter == 4 && samples_per_block / work.keys < few_samples;
  return (few ? 8 : 4) * words * (most_bytes_read / work.sample_bytes);
}

inline Plan make_plan(const Work& work, const DeviceFacts& facts) {
  Plan plan{};
  const uint64_t bytes = work.samples * work.sample_bytes;
  const uint64_t budget = static_cast<uint64_t>(facts.shared_bytes) / 4 / 32 * 32 - work.stage - spare_words;
  const uint64_t blocks = bytes <= single_block_bytes ? 1 : static_cast<uint64_t>(facts.multiprocessors);
  const uint64_t samples_per_block = work.samples / blocks;
  plan.passes = 1;
  const bool small = samples_per_block < work.keys / 4;
  const uint64_t packed_words = budget - (2u << packed_cache_bits) - 32;
  if (work.keys > budget && work.keys <= most_packed_keys(work, packed_words, samples_per_block) && !small) {
    plan_packed(plan, work, packed_words, samples_per_block);
  } else if (work.keys > budget && (work.keys - 1) / budget * work.sample_bytes < most_bytes_read && !small) {
    plan_parted(plan, work, budget);
  } else if (work.keys > budget || (work.keys > 8192 && small)) {
    plan_spilling(plan, work, budget, samples_per_block, facts);
  } else {
    const uint32_t copies = choose_copies(work.keys, budget, samples_per_block);
    plan.table = copies >= 16 ? Table::owned : Table::swizzled;
    plan.shape.copies = copies;
    plan.shape.window_keys = static_cast<uint32_t>(work.keys);
    plan.shape.words = static_cast<uint32_t>((work.keys * copies + 31) / 32 * 32) + spare_words;
    plan.shape.stage = work.stage;
    plan.shared_bytes = (plan.shape.words + size_t{work.stage}) * 4;
    plan.threads = plan.shared_bytes <= 56 * 1024 && blocks > 1 ? 512 : 1024;
  }
  const uint64_t vectors = (bytes + 15) / 16;
  plan.useful_blocks = bytes <= single_block_bytes ? 1 : (vectors + plan.threads - 1) / plan.threads;
  return plan;
}

template <class It> void choose_team(Input<It>& input, const Plan& plan, unsigned blocks) {
  const uint64_t vectors = input.row_samples * sizeof(sample_of<It>) / 16;
  const uint64_t threads = plan.threads;
  if (input.rows == 1) {
    input.team = 0;
  } else if (vectors < 256) {
    input.team = 32;
  } else if (input.rows >= 4 * static_cast<uint64_t>(blocks) || vectors < 4 * threads * blocks) {
    input.team = static_cast<uint32_t>(threads);
  } else {
    input.team = 0;
  }
}

// Clears the results with a kernel that lets the next one start at once (sm_90), or in the plain way.
template <class Job>
cudaError_t clear_ahead(const Job& job, uint64_t bins, const DeviceFacts& facts, cudaStream_t stream) {
  const uint64_t blocks = std::min<uint64_t>((bins + 1023) / 1024, 4 * static_cast<uint64_t>(facts.multiprocessors));
  Job copy = job;
  void* arguments[] = {&copy};
  return cudaLaunchKernel(reinterpret_cast<const void*>(clear_kernel<Job>), dim3(static_cast<unsigned>(blocks)),
                          dim3(static_cast<unsigned>(std::min<uint64_t>((bins + 31) / 32 * 32, 1024))), arguments, 0,
                          stream);
}

template <class Job, class It>
cudaError_t launch_passes(const void* kernel, Job job, Plan plan, Input<It> input, unsigned blocks, bool overlaps,
                          cudaStream_t stream) {
  void* arguments[] = {&job, &plan.shape, &input};
  for (uint32_t pass = 0; pass < plan.passes; ++pass) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(plan.threads);
    config.dynamicSmemBytes = plan.shared_bytes;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = overlaps && pass == 0 ? 1 : 0;
    const cudaError_t error = cudaLaunchKernelExC(&config, kernel, arguments);
    if (error != cudaSuccess) return error;
    plan.shape.window += plan.shape.window_keys;
  }
  return cudaSuccess;
}

template <Table table, int Channels, int Active, class Job, class It>
cudaError_t launch_table(const Job& job, Plan plan, Input<It> input, uint64_t bins, const DeviceFacts& facts,
                         cudaStream_t stream) {
  const auto kernel = histogram_kernel<table, Channels, Active, Job, It>;
  const void* symbol = reinterpret_cast<const void*>(kernel);
  cudaError_t error = cudaSuccess;
  if (plan.shared_bytes > 48 * 1024) {
    error =
        cudaFuncSetAttribute(symbol, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(plan.shared_bytes));
    if (error != cudaSuccess) return error;
  }
  int resident = 1;
  if (plan.useful_blocks > 1) {
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, plan.threads, plan.shared_bytes);
    if (error != cudaSuccess) return error;
  }
  const uint64_t most = static_cast<uint64_t>(std::max(resident, 1)) * facts.multiprocessors;
  const uint64_t parts = plan.shape.parts;
  const unsigned teams = static_cast<unsigned>(std::max<uint64_t>(1, std::min(most / parts, plan.useful_blocks)));
  const unsigned blocks = teams * plan.shape.parts;
  choose_team(input, plan, teams);
  plan.shape.clears = blocks == 1 && plan.passes == 1 && table != Table::spilling;
  if (!plan.shape.clears) error = clear_ahead(job, bins, facts, stream);
  if (error != cudaSuccess) return error;
  return launch_passes(symbol, job, plan, input, blocks, !plan.shape.clears && facts.major >= 9, stream);
}

template <int Channels, int Active, bool Bytes, class Job, class It>
cudaError_t launch_plan(const Job& job, const Plan& plan, const Input<It>& input, uint64_t bins,
                        const DeviceFacts& facts, cudaStream_t stream) {
  if (plan.table == Table::swizzled) {
    return launch_table<Table::swizzled, Channels, Active>(job, plan, input, bins, facts, stream);
  }
  if constexpr (!Bytes) { // at most 4 * 256 keys: they fit everywhere
    if (plan.table == Table::parted) {
      return launch_table<Table::parted, Channels, Active>(job, plan, input, bins, facts, stream);
    }
    if (plan.table == Table::packed) {
      return launch_table<Table::packed, Channels, Active>(job, plan, input, bins, facts, stream);
    }
    if (plan.table == Table::spilling) {
      return launch_table<Table::spilling, Channels, Active>(job, plan, input, bins, facts, stream);
    }
  }
  return launch_table<Table::owned, Channels, Active>(job, plan, input, bins, facts, stream);
}

template <class KeyRule, class BinRule, class Counter, int Active>
cudaError_t clear_results(const Counting<KeyRule, BinRule, Counter, Active>& job, cudaStream_t stream) {
  for (int c = 0; c < Active; ++c) {
    const cudaError_t error = cudaMemsetAsync(job.result[c], 0, sizeof(Counter) * job.result_bins[c], stream);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

// Counts `input` (row_samples counts samples, not pixels) into the results, which are overwritten.
template <int Channels, int Active, bool Bytes, class KeyRule, class BinRule, class Counter, class It>
cudaError_t count_all(Counting<KeyRule, BinRule, Counter, Active>& job, Input<It> input, cudaStream_t stream) {
  uint64_t keys = 0, bins = 0; // of all channels
  for (int c = 0; c < Active; ++c) {
    job.first_key[c] = static_cast<uint32_t>(keys);
    keys += job.keys[c].width();
    bins += job.result_bins[c];
  }
  if (keys >= empty_slot) return cudaErrorInvalidValue;
  job.first_key[Active] = static_cast<uint32_t>(keys);
  const uint64_t samples = input.row_samples * input.rows;
  if (samples == 0) return clear_results(job, stream);

  DeviceFacts facts;
  cudaError_t error = facts.read();
  if (error != cudaSuccess) return error;
  const Work work{samples, sizeof(sample_of<It>), keys, bins * sizeof(Counter), Bytes ? Active * 256u : 0u};
  const Plan plan = make_plan(work, facts);
  return launch_plan<Channels, Active, Bytes>(job, plan, input, bins, facts, stream);
}

} // namespace tollgate::detail
