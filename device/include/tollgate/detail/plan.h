// Chooses the table by the number of keys and the size of the input, and launches.
#pragma once
#include <cuda_runtime.h>

#include <algorithm>

#include "flush.h"

namespace tollgate::detail {

struct DeviceFacts {
  int multiprocessors = 0;
  int shared_bytes = 0; // what one block may have
  int cache_bytes = 0;  // L2

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

inline constexpr uint64_t single_block_bytes = 64 * 1024;
inline constexpr uint32_t cache_slots = 4096;
inline constexpr uint32_t most_passes = 12;

// Copies cost clearing and adding up: no more words than a block has samples.
inline uint32_t choose_copies(uint64_t keys, uint64_t budget, uint64_t samples_per_block) {
  uint32_t copies = 32;
  while (copies > 1 && keys * copies > budget) copies /= 2;
  while (copies > 1 && keys * copies > std::max<uint64_t>(samples_per_block, 8192)) copies /= 2;
  return copies;
}

inline void plan_spilling(Plan& plan, const Work& work, uint64_t budget, uint64_t samples_per_block,
                          const DeviceFacts& facts) {
  const bool small = samples_per_block < work.keys / 4;
  const uint32_t slots = small ? 1024 : cache_slots;
  plan.table = Table::spilling;
  plan.shape.cache_shift = 32;
  for (uint32_t s = slots; s > 1; s /= 2) --plan.shape.cache_shift;
  const uint64_t most_direct = small ? 0 : budget - 2 * slots;
  const uint64_t window_bytes = static_cast<uint64_t>(facts.cache_bytes) / 2;
  plan.passes = static_cast<uint32_t>(std::min<uint64_t>((work.result_bytes + window_bytes - 1) / window_bytes, 1000));
  if (plan.passes > most_passes || small) plan.passes = 1;
  plan.shape.window_keys = static_cast<uint32_t>((work.keys + plan.passes - 1) / plan.passes);
  plan.shape.direct = static_cast<uint32_t>(std::min<uint64_t>(most_direct, plan.shape.window_keys));
  plan.shape.words = (plan.shape.direct + 31) / 32 * 32;
  plan.shape.copies = 1;
  plan.threads = plan.shape.direct != 0 ? 1024 : 512;
  plan.shared_bytes = (plan.shape.words + 2 * size_t{slots}) * 4;
}

inline Plan make_plan(const Work& work, const DeviceFacts& facts) {
  Plan plan{};
  const uint64_t bytes = work.samples * work.sample_bytes;
  const uint64_t budget = static_cast<uint64_t>(facts.shared_bytes) / 4 / 32 * 32 - work.stage;
  const uint64_t blocks = bytes <= single_block_bytes ? 1 : static_cast<uint64_t>(facts.multiprocessors);
  const uint64_t samples_per_block = work.samples / blocks;
  plan.passes = 1;
  if (work.keys > budget || (work.keys > 8192 && samples_per_block < work.keys / 4)) {
    plan_spilling(plan, work, budget, samples_per_block, facts);
  } else {
    const uint32_t copies = choose_copies(work.keys, budget, samples_per_block);
    plan.table = copies >= 4 ? Table::owned : Table::swizzled;
    plan.shape.copies = copies;
    plan.shape.words = static_cast<uint32_t>((work.keys * copies + 31) / 32 * 32);
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

template <Table table, int Channels, int Active, class Job, class It>
cudaError_t launch_table(const Job& job, Plan plan, Input<It> input, const DeviceFacts& facts, bool may_clear,
                         cudaStream_t stream, bool& clears) {
  const auto kernel = histogram_kernel<table, Channels, Active, Job, It>;
  const void* symbol = reinterpret_cast<const void*>(kernel);
  cudaError_t error = cudaSuccess;
  if (plan.shared_bytes > 48 * 1024) {
    error = cudaFuncSetAttribute(symbol, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(plan.shared_bytes));
    if (error != cudaSuccess) return error;
  }
  int resident = 0;
  error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, plan.threads, plan.shared_bytes);
  if (error != cudaSuccess) return error;
  const uint64_t most = static_cast<uint64_t>(std::max(resident, 1)) * facts.multiprocessors;
  const unsigned blocks = static_cast<unsigned>(std::max<uint64_t>(1, std::min(most, plan.useful_blocks)));
  choose_team(input, plan, blocks);
  clears = may_clear && blocks == 1;
  if (may_clear && !clears) return cudaSuccess; // the caller clears first and comes back
  plan.shape.clears = clears;
  for (uint32_t pass = 0; pass < plan.passes; ++pass) {
    Job copy = job;
    void* arguments[] = {&copy, &plan.shape, &input};
    error = cudaLaunchKernel(symbol, dim3(blocks), dim3(plan.threads), arguments, plan.shared_bytes, stream);
    if (error != cudaSuccess) return error;
    plan.shape.window += plan.shape.window_keys;
  }
  return cudaSuccess;
}

template <int Channels, int Active, bool Bytes, class Job, class It>
cudaError_t launch_plan(const Job& job, const Plan& plan, const Input<It>& input, const DeviceFacts& facts,
                        bool may_clear, cudaStream_t stream, bool& clears) {
  if (plan.table == Table::swizzled) {
    return launch_table<Table::swizzled, Channels, Active>(job, plan, input, facts, may_clear, stream, clears);
  }
  if constexpr (!Bytes) { // at most 4 * 256 keys: they fit everywhere
    if (plan.table == Table::spilling) {
      return launch_table<Table::spilling, Channels, Active>(job, plan, input, facts, may_clear, stream, clears);
    }
  }
  return launch_table<Table::owned, Channels, Active>(job, plan, input, facts, may_clear, stream, clears);
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
  uint64_t keys = 0, bins = 0;
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
  bool clears = false;
  if (bins <= 16384) error = launch_plan<Channels, Active, Bytes>(job, plan, input, facts, true, stream, clears);
  if (error != cudaSuccess || clears) return error;
  error = clear_results(job, stream);
  if (error != cudaSuccess) return error;
  return launch_plan<Channels, Active, Bytes>(job, plan, input, facts, false, stream, clears);
}

} // namespace tollgate::detail
