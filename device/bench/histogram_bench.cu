// Sweeps sample type x bins x counter type x distribution x size: tollgate and CUB in one process, times as medians,
// and the share of the time that only reading the samples would take. Prints a table and writes JSON.
//
//   histogram_bench [--out FILE] [--only SAMPLE] [--quick|--tune] [--no-cub]
#include "machine.h"
#include "must.h"
#include "runner.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>

using bench::Distribution;

namespace {

__global__ void read_kernel(const uint4* data, uint64_t n, unsigned* sink) {
  const uint64_t step = static_cast<uint64_t>(gridDim.x) * blockDim.x;
  unsigned sum = 0;
  uint64_t i = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; i + 3 * step < n; i += 4 * step) {
    uint4 v[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) v[k] = __ldcs(data + i + k * step);
#pragma unroll
    for (int k = 0; k < 4; ++k) sum += v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
  }
  for (; i < n; i += step) sum += data[i].x;
  if (sum == 0x12345678) *sink = sum;
}

__global__ void noise_kernel(uint4* data, uint64_t n) {
  const uint64_t step = static_cast<uint64_t>(gridDim.x) * blockDim.x;
  for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
    const uint64_t x = (i + 1) * 0x9e3779b97f4a7c15ull, y = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9ull;
    data[i] = make_uint4(x >> 32, y, y >> 32, x ^ y >> 17);
  }
}

struct Cell {
  std::string sample, counter;
  uint64_t bins;
  Distribution distribution;
  uint64_t n;
  int offset; // samples before the first one: 1 makes the start unaligned
};

struct Result {
  double microseconds = -1;
  size_t scratch = 0;
  std::string error;
  std::vector<uint64_t> counts;
};

constexpr size_t sample_room = (size_t{1} << 31) + 4096;
constexpr uint64_t most_cub_bins = 1 << 24;
constexpr size_t evict_bytes = size_t{256} << 20;

struct Bench {
  void *samples = nullptr, *counts = nullptr, *evict = nullptr;
  unsigned* sink = nullptr;
  cudaEvent_t start{}, stop{};
  double roof = 0; // bytes a second
  bool with_cub = true;

  void open() {
    MUST(cudaMalloc(&samples, sample_room));
    MUST(cudaMalloc(&counts, size_t{8} << 24));
    MUST(cudaMalloc(&evict, evict_bytes));
    MUST(cudaMalloc(&sink, 4));
    noise_kernel<<<2048, 256>>>(static_cast<uint4*>(samples), sample_room / 16); // equal bytes are read faster
    MUST(cudaMemset(evict, 1, evict_bytes));
    MUST(cudaEventCreate(&start));
    MUST(cudaEventCreate(&stop));
    for (const int blocks : {132 * 4, 132 * 8, 132 * 16, 132 * 32}) {
      std::vector<double> times;
      for (int i = 0; i < 11; ++i) {
        evict_cache();
        times.push_back(timed([&] {
          read_kernel<<<blocks, 512>>>(static_cast<uint4*>(samples), (size_t{1} << 31) / 16, sink);
          return cudaGetLastError();
        }));
      }
      std::sort(times.begin(), times.end());
      roof = std::max(roof, (size_t{1} << 31) / (times[times.size() / 2] * 1e-6)); // the best way's median
    }
  }
  template <class F> double timed(F work) {
    MUST(cudaEventRecord(start));
    const cudaError_t error = work();
    MUST(cudaEventRecord(stop));
    MUST(cudaEventSynchronize(stop));
    bench::must(error, "the call that is timed");
    float milliseconds = 0;
    MUST(cudaEventElapsedTime(&milliseconds, start, stop));
    return milliseconds * 1e3;
  }
  void evict_cache() { read_kernel<<<1056, 512>>>(static_cast<uint4*>(evict), evict_bytes / 16, sink); }

  Result run(const bench::Counter& counter, const Cell& cell, size_t sample_bytes) {
    Result result;
    const char* first = static_cast<const char*>(samples) + cell.offset * sample_bytes;
    const int bins = static_cast<int>(cell.bins);
    void* temp = nullptr;
    size_t bytes = 0;
    auto call = [&] { return counter.count(temp, bytes, first, cell.n, counts, bins); };
    cudaError_t error = call(); // tollgate counts at once, CUB says how much scratch it wants
    if (counter.library == "cub" && error == cudaSuccess) {
      error = cudaMalloc(&temp, bytes);
      if (error == cudaSuccess) error = call();
      result.scratch = bytes;
    }
    if (error == cudaSuccess) error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
      result.error = cudaGetErrorString(error);
      cudaGetLastError();
      cudaFree(temp);
      return result;
    }
    std::vector<double> times;
    for (int i = 0; i < 7; ++i) {
      evict_cache(); // and while it runs the calls are queued: launches are not timed
      times.push_back(timed(call));
      if (i == 2 && times[0] > 20000) break;
    }
    std::sort(times.begin(), times.end());
    result.microseconds = times[times.size() / 2];
    result.counts.resize(cell.bins);
    if (counter.counter_bytes == 8) {
      MUST(cudaMemcpy(result.counts.data(), counts, cell.bins * 8, cudaMemcpyDeviceToHost));
    } else {
      std::vector<uint32_t> narrow(cell.bins);
      MUST(cudaMemcpy(narrow.data(), counts, cell.bins * 4, cudaMemcpyDeviceToHost));
      std::copy(narrow.begin(), narrow.end(), result.counts.begin());
    }
    MUST(cudaFree(temp));
    return result;
  }
};

// Floating-point samples at an edge may be counted one bin apart: the two libraries round differently.
std::string compare(const Result& ours, const Result& cub, const Cell& cell, bool floating) {
  const bool small = cell.sample == "half" || cell.sample == "bf16"; // CUB computes bins in the samples' own precision
  uint64_t total = 0, differ = 0;
  for (const uint64_t count : ours.counts) total += count;
  if (total > cell.n || total + (floating ? cell.n / 10000 + 8 : 0) < cell.n) return "total " + std::to_string(total);
  if (cub.counts.size() != ours.counts.size()) return "ok, alone";
  for (size_t i = 0; i < ours.counts.size(); ++i) {
    differ += ours.counts[i] > cub.counts[i] ? ours.counts[i] - cub.counts[i] : cub.counts[i] - ours.counts[i];
  }
  if (differ == 0) return "ok";
  const bool close = small || (floating && differ <= cell.n / 1000 + 8);
  return (close ? "ok, edges " : "DIFFERS ") + std::to_string(differ);
}

bool is_floating(const std::string& name) {
  return name == "half" || name == "bf16" || name == "float" || name == "double";
}

std::vector<Cell> make_cells(bool quick, const std::string& only) {
  std::vector<Cell> cells;
  const std::vector<uint64_t> all_bins = {2, 16, 64, 256, 257, 1024, 2048, 8192, 32768, 65536, 1 << 20, 1 << 24};
  const std::vector<uint64_t> quick_bins = {256, 1024, 8192, 32768, 65536, 1 << 20, 1 << 24};
  for (const bench::Samples& sample : bench::all_samples()) {
    if (!only.empty() && only != sample.name) continue;
    const uint64_t n = (uint64_t{1} << 31) / sample.bytes;
    for (const uint64_t bins : quick ? quick_bins : all_bins) {
      if (bins > sample.most_bins) continue;
      for (int d = 0; d < 7; ++d) cells.push_back({sample.name, "u32", bins, Distribution(d), n, 0});
    }
    if (sample.bytes == 1) {
      for (int d = 0; d < 7; ++d) cells.push_back({sample.name, "u32", 256, Distribution(d), n - (1 << 24), 1});
      for (int d = 0; d < 7; ++d) cells.push_back({sample.name, "u64", 256, Distribution(d), n, 0});
    }
    // The rest of the shape: other counters, sizes and starts, a fixed sample in which every pair of values meets.
    uint64_t turn = sample.name.size() * 7 + sample.name[0];
    for (int exponent = 12; exponent <= (quick ? 20 : 28); exponent += 2) {
      for (size_t b = 0; b < all_bins.size(); ++b) {
        ++turn;
        if (all_bins[b] > sample.most_bins) continue;
        cells.push_back({sample.name, turn % 2 == 0 ? "u32" : "u64", all_bins[b], Distribution(turn * 5 % 7),
                         (uint64_t{1} << exponent) - turn % 3, static_cast<int>(turn / 2 % 2)});
      }
    }
  }
  return cells;
}

// What decides between ways to write the kernels.
std::vector<Cell> tuning_cells() {
  std::vector<Cell> cells;
  for (const bench::Samples& sample : bench::all_samples()) {
    const uint64_t n = (uint64_t{1} << 31) / sample.bytes;
    for (const uint64_t bins : {256, 1024, 8192, 32768, 65536, 1 << 18, 1 << 20, 1 << 24}) {
      if (bins > sample.most_bins) continue;
      for (const Distribution d : {Distribution::uniform, Distribution::comb}) {
        cells.push_back({sample.name, "u32", bins, d, n, 0});
      }
    }
  }
  return cells;
}

const bench::Counter* find(const std::string& library, const Cell& cell) {
  for (const bench::Counter& c : bench::all_counters()) {
    if (c.library == library && c.sample == cell.sample && c.counter == cell.counter) return &c;
  }
  return nullptr;
}

void write_head(FILE* out, const Bench& bench) {
  cudaDeviceProp properties;
  int driver = 0, runtime = 0, clock = 0, memory_clock = 0;
  MUST(cudaGetDeviceProperties(&properties, 0));
  MUST(cudaDriverGetVersion(&driver));
  MUST(cudaRuntimeGetVersion(&runtime));
  MUST(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0));
  MUST(cudaDeviceGetAttribute(&memory_clock, cudaDevAttrMemoryClockRate, 0));
  std::fprintf(out,
               "{\"gpu\": \"%s\", \"date\": \"%s\", \"cuda_driver\": %d, \"cuda_runtime\": %d, \"highest_sm_mhz\": %d, "
               "\"highest_memory_mhz\": %d, \"driver_and_clocks_under_load\": \"%s\", \"read_only_roof_tb_s\": %.4f,\n"
               " \"cells\": [\n",
               properties.name, bench::date().c_str(), driver, runtime, clock / 1000, memory_clock / 1000,
               bench::driver_and_clocks().c_str(), bench.roof * 1e-12);
}

} // namespace

int main(int argc, char** argv) {
  const char* out_name = nullptr;
  std::string only;
  bool quick = false, tune = false;
  Bench bench;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--out" && i + 1 < argc)
      out_name = argv[++i];
    else if (option == "--only" && i + 1 < argc)
      only = argv[++i];
    else if (option == "--quick")
      quick = true;
    else if (option == "--tune")
      tune = true;
    else if (option == "--no-cub")
      bench.with_cub = false;
    else
      return std::fprintf(stderr, "usage: %s [--out FILE] [--only SAMPLE] [--quick|--tune] [--no-cub]\n", argv[0]), 2;
  }
  bench.open();
  FILE* out = out_name != nullptr ? std::fopen(out_name, "w") : nullptr;
  if (out != nullptr) write_head(out, bench);
  std::printf("read-only roof: %.3f TB/s\n", bench.roof * 1e-12);
  int wrong = 0;
  bool first = true;
  for (const Cell& cell : tune ? tuning_cells() : make_cells(quick, only)) {
    const auto sample = std::find_if(bench::all_samples().begin(), bench::all_samples().end(),
                                     [&](const bench::Samples& s) { return s.name == cell.sample; });
    MUST(sample->make(static_cast<char*>(bench.samples) + cell.offset * sample->bytes, cell.n,
                      static_cast<uint32_t>(cell.bins), cell.distribution));
    const bench::Counter *ours = find("tollgate", cell), *cub = find("cub", cell);
    if (ours == nullptr) continue;
    const Result a = bench.run(*ours, cell, sample->bytes);
    // With 2^24 bins CUB wants 26.6 GB of scratch and then fails in a way that ends the process's CUDA context.
    const bool cub_runs = bench.with_cub && cub != nullptr && cell.bins < most_cub_bins;
    const Result b = cub_runs ? bench.run(*cub, cell, sample->bytes) : Result{};
    const double floor = cell.n * sample->bytes / bench.roof * 1e6;
    const std::string verdict = a.error.empty() ? compare(a, b, cell, is_floating(cell.sample)) : a.error;
    wrong += verdict.compare(0, 2, "ok") != 0;
    std::printf("%-6s %-4s bins %8llu n 2^%-5.2f +%d %-8s  tollgate %9.1f us %.3f   cub %9.1f us %.3f   %5.1fx  %s\n",
                cell.sample.c_str(), cell.counter.c_str(), static_cast<unsigned long long>(cell.bins),
                log2(static_cast<double>(cell.n)), cell.offset,
                bench::distribution_names[static_cast<int>(cell.distribution)], a.microseconds, floor / a.microseconds,
                b.microseconds, b.microseconds > 0 ? floor / b.microseconds : 0.0,
                b.microseconds > 0 ? b.microseconds / a.microseconds : 0.0, verdict.c_str());
    if (out == nullptr) continue;
    std::fprintf(
        out,
        "%s  {\"sample\": \"%s\", \"counter\": \"%s\", \"bins\": %llu, \"distribution\": \"%s\", \"n\": %llu, "
        "\"offset\": %d, \"tollgate_us\": %.2f, \"tollgate_share\": %.4f, \"cub_us\": %.2f, \"cub_share\": %.4f, "
        "\"cub_scratch\": %zu, \"result\": \"%s\"}",
        first ? "" : ",\n", cell.sample.c_str(), cell.counter.c_str(), static_cast<unsigned long long>(cell.bins),
        bench::distribution_names[static_cast<int>(cell.distribution)], static_cast<unsigned long long>(cell.n),
        cell.offset, a.microseconds, floor / a.microseconds, b.microseconds,
        b.microseconds > 0 ? floor / b.microseconds : 0.0, b.scratch, verdict.c_str());
    first = false;
  }
  if (out != nullptr) {
    std::fprintf(out, "\n]}\n");
    std::fclose(out);
  }
  std::printf("%d wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}
