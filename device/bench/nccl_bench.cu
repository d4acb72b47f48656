// Histograms over several GPUs against the same samples on one: each GPU has a part, and the counts are added up by
// NCCL. Prints and writes times as medians of 9 and how often the throughput of one GPU is reached.
//
//   nccl_bench [--out FILE] [--gib PER_GPU]
//
// With 2, 4 and 8 GPUs, as far as there are; on a machine with one the communicator has one rank. One GPU takes all
// parts, so that `ratio` is the gain by as many GPUs. Time is that of the host, from a barrier of one thread for each
// GPU until the last one has its result; on one GPU it is taken in the same way.
#include "machine.h"
#include "must.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <tollgate/histogram_nccl.h>
#include <vector>

namespace {

#define MUST_NCCL(call) must_nccl(call, #call)
void must_nccl(ncclResult_t result, const char* what) {
  if (result == ncclSuccess) return;
  std::fprintf(stderr, "nccl_bench: %s: %s\n", what, ncclGetErrorString(result));
  std::exit(1);
}

constexpr int most_bins = 1 << 20, repeats = 9, warm_ups = 2;

// Samples are a function of their place among those of all GPUs: the last GPU's part looks the same on one GPU.
__device__ unsigned random_at(uint64_t place) {
  uint64_t x = (place + 1) * 0x9e3779b97f4a7c15ull;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return static_cast<unsigned>(x >> 32);
}
__global__ void fill_words(unsigned* words, uint64_t n, uint64_t first, bool floats) {
  const uint64_t step = static_cast<uint64_t>(gridDim.x) * blockDim.x;
  for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
    const unsigned random = random_at(first + i);
    words[i] = floats ? __float_as_uint(static_cast<float>(random >> 8) * 0x1p-24f) : random;
  }
}

struct Gpu {
  cudaStream_t stream = nullptr;
  unsigned* words = nullptr;
  void* results = nullptr;
  float* bound = nullptr;
};

// All threads leave it within the time that a cache line takes to travel.
class Barrier {
public:
  explicit Barrier(int threads) : threads_(threads) {}
  void wait() {
    const int round = round_.load();
    if (waiting_.fetch_add(1) + 1 == threads_) {
      waiting_ = 0;
      ++round_;
    }
    while (round_.load() == round) {
    }
  }

private:
  const int threads_;
  std::atomic<int> waiting_{0}, round_{0};
};

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Microseconds of work(gpu) on the first `count` GPUs, from the first start to the last end.
template <class Work> double microseconds(const std::vector<Gpu>& gpus, int count, Work work) {
  constexpr int runs = warm_ups + repeats;
  std::vector<std::vector<double>> starts(count, std::vector<double>(runs)), ends = starts;
  Barrier barrier(count);
  const auto body = [&](int g) {
    MUST(cudaSetDevice(g));
    for (int run = 0; run < runs; ++run) {
      MUST(cudaStreamSynchronize(gpus[g].stream));
      barrier.wait();
      starts[g][run] = seconds();
      work(g);
      MUST(cudaStreamSynchronize(gpus[g].stream));
      ends[g][run] = seconds();
    }
  };
  std::vector<std::thread> threads;
  for (int g = 0; g < count; ++g) threads.emplace_back(body, g);
  for (std::thread& thread : threads) thread.join();
  std::vector<double> times;
  for (int run = warm_ups; run < runs; ++run) {
    double first = starts[0][run], last = ends[0][run];
    for (int g = 1; g < count; ++g) {
      first = std::min(first, starts[g][run]);
      last = std::max(last, ends[g][run]);
    }
    times.push_back((last - first) * 1e6);
  }
  std::sort(times.begin(), times.end());
  return times[repeats / 2];
}

struct Bench {
  std::vector<Gpu> gpus;
  std::vector<ncclComm_t> comms; // of the first `ranks` GPUs
  int ranks = 0;
  uint64_t part_bytes = 0;
  FILE* out = nullptr;
  bool first = true, wrong = false;

  void open(int count, uint64_t bytes) {
    part_bytes = bytes;
    gpus.resize(count);
    for (int g = 0; g < count; ++g) {
      MUST(cudaSetDevice(g));
      MUST(cudaStreamCreate(&gpus[g].stream));
      MUST(cudaMalloc(&gpus[g].words, g == 0 ? bytes * count : bytes));
      MUST(cudaMalloc(&gpus[g].results, (most_bins + count) * sizeof(uint64_t)));
      MUST(cudaMalloc(&gpus[g].bound, sizeof(float)));
    }
  }
  // GPU 0 has all parts, one after the other, and counts only the first one with the others.
  void fill(bool floats) {
    const uint64_t words = part_bytes / 4;
    for (int g = 0; g < ranks; ++g) {
      MUST(cudaSetDevice(g));
      fill_words<<<1056, 512>>>(gpus[g].words, g == 0 ? words * ranks : words, words * g, floats);
      MUST(cudaDeviceSynchronize());
    }
  }
  std::vector<uint64_t> results(int g, size_t first_bin, size_t bins) const {
    std::vector<uint64_t> values(bins);
    MUST(cudaSetDevice(g));
    MUST(cudaMemcpy(values.data(), static_cast<uint64_t*>(gpus[g].results) + first_bin, bins * sizeof(uint64_t),
                    cudaMemcpyDeviceToHost));
    return values;
  }

  // `alone` on GPU 0 with all samples, `part` on it with its own, `together` on each rank with those.
  template <class Alone, class Part, class Together>
  void measure(const char* name, int bins, bool scattered, Alone alone, Part part, Together together) {
    const double one_part = microseconds(gpus, 1, [&](int) { part(); });
    const double one = microseconds(gpus, 1, [&](int) { alone(); });
    const std::vector<uint64_t> want = results(0, 0, bins);
    const double many = microseconds(gpus, ranks, together);
    bool same = true;
    const size_t share = tollgate::bins_of_rank(bins, ranks);
    for (int g = 0; g < ranks; ++g) {
      const size_t from = scattered ? std::min<size_t>(share * g, bins) : 0;
      const size_t to = scattered ? std::min<size_t>(from + share, bins) : bins;
      const std::vector<uint64_t> got = results(g, from, to - from);
      same = same && std::equal(got.begin(), got.end(), want.begin() + from);
    }
    wrong = wrong || !same;
    std::printf("%d GPUs  %-42s one %10.1f us  together %10.1f us  ratio %5.3f  (a part on one: %10.1f us)  %s\n",
                ranks, name, one, many, one / many, one_part, same ? "ok" : "DIFFERS");
    if (out == nullptr) return;
    std::fprintf(out,
                 "%s  {\"gpus\": %d, \"case\": \"%s\", \"bins\": %d, \"bytes_per_gpu\": %llu, \"one_gpu_us\": %.1f, "
                 "\"together_us\": %.1f, \"ratio\": %.4f, \"one_gpu_one_part_us\": %.1f, \"result\": \"%s\"}",
                 first ? "" : ",\n", ranks, name, bins, static_cast<unsigned long long>(part_bytes), one, many,
                 one / many, one_part, same ? "ok" : "DIFFERS");
    first = false;
  }

  template <class T, class L> void even(const char* name, int bins, L upper, bool scattered) {
    const uint64_t n = part_bytes / sizeof(T);
    const auto samples = [&](int g) { return reinterpret_cast<const T*>(gpus[g].words); };
    const auto counts = [&](int g) { return static_cast<uint64_t*>(gpus[g].results); };
    const auto local = [&](uint64_t size) {
      MUST(tollgate::histogram_even(samples(0), size, counts(0), bins, L(0), upper, gpus[0].stream));
    };
    measure(
        name, bins, scattered, [&] { local(n * ranks); }, [&] { local(n); },
        [&](int g) {
          const cudaStream_t stream = gpus[g].stream;
          if (scattered) {
            MUST_NCCL(
                tollgate::histogram_even_scattered(comms[g], samples(g), n, counts(g), bins, L(0), upper, stream));
          } else {
            MUST_NCCL(tollgate::histogram_even(comms[g], samples(g), n, counts(g), bins, L(0), upper, stream));
          }
        });
  }

  // A part is as many samples as weights. GPU 0 has all samples and behind them all weights, the others only theirs.
  void fill_weighted() {
    const uint64_t n = part_bytes / 8, all = n * ranks;
    for (int g = 0; g < ranks; ++g) {
      MUST(cudaSetDevice(g));
      fill_words<<<1056, 512>>>(gpus[g].words, g == 0 ? all : n, n * g, true);
      fill_words<<<1056, 512>>>(gpus[g].words + (g == 0 ? all : n), g == 0 ? all : n, all + n * g, true);
      MUST(cudaDeviceSynchronize());
    }
  }
  void weighted(const char* name, int bins, bool bounded) {
    const uint64_t n = part_bytes / 8, all = n * ranks;
    const auto samples = [&](int g) { return reinterpret_cast<const float*>(gpus[g].words); };
    const auto weights = [&](int g) { return samples(g) + (g == 0 ? all : n); };
    const auto sums = [&](int g) { return static_cast<double*>(gpus[g].results); };
    const auto local = [&](uint64_t size) {
      float* bound = gpus[0].bound;
      const float* found = bound;
      const cudaStream_t stream = gpus[0].stream;
      if (!bounded) MUST(tollgate::weight_bound(weights(0), size, bound, stream));
      const auto call = [&](auto given) {
        return tollgate::weighted_histogram_even(samples(0), weights(0), size, sums(0), bins, 0.0f, 1.0f, given,
                                                 stream);
      };
      MUST(bounded ? call(1.0f) : call(found));
    };
    measure(
        name, bins, false, [&] { local(all); }, [&] { local(n); },
        [&](int g) {
          float* bound = gpus[g].bound;
          const cudaStream_t stream = gpus[g].stream;
          if (!bounded) MUST(tollgate::weight_bound(weights(g), n, bound, stream));
          const auto call = [&](auto given) {
            return tollgate::weighted_histogram_even(comms[g], samples(g), weights(g), n, all, sums(g), bins, 0.0f,
                                                     1.0f, given, stream);
          };
          MUST_NCCL(bounded ? call(1.0f) : call(bound));
        });
  }

  void run(int count) {
    ranks = count;
    comms.resize(count);
    MUST_NCCL(ncclCommInitAll(comms.data(), count, nullptr));
    fill(false);
    even<uint8_t, int>("u8, 256 bins", 256, 256, false);
    even<uint32_t, uint64_t>("u32, 2^20 bins", most_bins, uint64_t{1} << 32, false);
    even<uint32_t, uint64_t>("u32, 2^20 bins, reduce-scatter", most_bins, uint64_t{1} << 32, true);
    fill(true);
    even<float, float>("float, 1024 bins", 1024, 1.0f, false);
    even<float, float>("float, 2^20 bins", most_bins, 1.0f, false);
    even<float, float>("float, 2^20 bins, reduce-scatter", most_bins, 1.0f, true);
    fill_weighted();
    weighted("float, weights with a known bound, 256 bins", 256, true);
    weighted("float, weights without a bound, 256 bins", 256, false);
    for (const ncclComm_t comm : comms) MUST_NCCL(ncclCommDestroy(comm));
  }
};

void write_head(FILE* out, int gpus) {
  cudaDeviceProp properties;
  int driver = 0, runtime = 0, nccl = 0;
  MUST(cudaGetDeviceProperties(&properties, 0));
  MUST(cudaDriverGetVersion(&driver));
  MUST(cudaRuntimeGetVersion(&runtime));
  MUST_NCCL(ncclGetVersion(&nccl));
  std::fprintf(out,
               "{\"gpu\": \"%s\", \"gpus\": %d, \"date\": \"%s\", \"cuda_driver\": %d, \"cuda_runtime\": %d, "
               "\"nccl\": %d, \"driver_and_clocks\": \"%s\", \"median_of\": %d,\n \"cells\": [\n",
               properties.name, gpus, bench::date().c_str(), driver, runtime, nccl, bench::driver_and_clocks().c_str(),
               repeats);
}

} // namespace

int main(int argc, char** argv) {
  const char* out_name = nullptr;
  double gib = 8;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--out" && i + 1 < argc)
      out_name = argv[++i];
    else if (option == "--gib" && i + 1 < argc && std::atof(argv[i + 1]) > 0)
      gib = std::atof(argv[++i]);
    else
      return std::fprintf(stderr, "usage: %s [--out FILE] [--gib PER_GPU]\n", argv[0]), 2;
  }
  // A kernel that is loaded at its first launch may wait for one that waits for the other ranks.
  setenv("CUDA_MODULE_LOADING", "EAGER", 0);
  Bench bench;
  int count = 0, used = 1;
  MUST(cudaGetDeviceCount(&count));
  while (used * 2 <= std::min(count, 8)) used *= 2;
  const uint64_t part = static_cast<uint64_t>(gib * (uint64_t{1} << 30)) / 4096 * 4096;
  bench.open(used, part);
  if (out_name != nullptr) {
    bench.out = std::fopen(out_name, "w");
    if (bench.out == nullptr) return std::fprintf(stderr, "%s: cannot be written\n", out_name), 1;
    write_head(bench.out, count);
  }
  for (int ranks = std::min(used, 2); ranks <= used; ranks *= 2) bench.run(ranks);
  if (bench.out != nullptr) {
    std::fprintf(bench.out, "\n]}\n");
    std::fclose(bench.out);
  }
  return bench.wrong ? 1 : 0;
}
