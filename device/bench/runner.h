// One pair of sample and counter type: how to make samples, and how each library counts them.
#pragma once
#include <cuda_runtime.h>
#include <stdint.h>
#include <string>
#include <vector>

namespace bench {

enum class Distribution { uniform, constant, two, comb, zipf, runs, sorted };
inline const char* const distribution_names[] = {"uniform", "constant", "two", "comb", "zipf", "runs", "sorted"};

using Make = cudaError_t (*)(void* samples, uint64_t n, uint32_t bins, Distribution);
using Count = cudaError_t (*)(void* temp, size_t& temp_bytes, const void* samples, uint64_t n, void* counts, int bins);

struct Samples {
  std::string name;
  size_t bytes;
  uint64_t most_bins; // values that a sample can have
  Make make;
};

struct Counter {
  std::string library; // tollgate or cub
  std::string sample;
  std::string counter;
  size_t counter_bytes;
  Count count;
};

std::vector<Samples>& all_samples();
std::vector<Counter>& all_counters();

} // namespace bench
