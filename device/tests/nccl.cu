// Histograms over the GPUs of this machine through NCCL, on communicators of 1, 2, ... all of them, against the host:
// it needs NCCL and a GPU (docs/histogram.md). The ordinary tests build it with nccl_stand_in/ in NCCL's place and with
// TOLLGATE_TEST_RANKS ranks, all on one device, and fewer samples.
#include "weights.h"

#include <memory>
#include <thread>
#include <tollgate/histogram_nccl.h>

using namespace test;

inline void must(ncclResult_t result, const char* what) {
  if (result == ncclSuccess) return;
  std::printf("FAILED: %s: %s\n", what, ncclGetErrorString(result));
  std::exit(1);
}
#define MUST_NCCL(call) must(call, #call)

constexpr int most_bins = 100001;

#ifdef TOLLGATE_TEST_RANKS
constexpr size_t n = 20011;
constexpr int repeats = 2;
int most_ranks() { return TOLLGATE_TEST_RANKS; }
int device_of(int) { return 0; }
#else
constexpr size_t n = 500003;
constexpr int repeats = 5;
int most_ranks() {
  int count = 0;
  MUST(cudaGetDeviceCount(&count));
  return count;
}
int device_of(int rank) { return rank; }
#endif

// A GPU and its data, whatever the communicator.
struct Gpu {
  cudaStream_t stream = nullptr;
  std::vector<float> samples;
  float* device = nullptr;
  uint64_t* counts = nullptr;
};

struct Rank {
  ncclComm_t comm;
  const Gpu* gpu;
};

std::vector<uint64_t> totals(const std::vector<Rank>& ranks, int bins) {
  std::vector<uint64_t> want(bins, 0);
  for (const Rank& rank : ranks) {
    for (const float x : rank.gpu->samples) {
      const long long bin = even_bin(x, 0.0f, 1.0f, bins, true);
      if (bin >= 0) ++want[bin];
    }
  }
  return want;
}

template <class T> std::vector<T> read(const T* data, size_t size) {
  std::vector<T> values(size);
  MUST(cudaMemcpy(values.data(), data, size * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}

void compare(const std::vector<Rank>& ranks, int bins) {
  const std::vector<uint64_t> want = totals(ranks, bins);
  const int count = static_cast<int>(ranks.size());
  const size_t share = tollgate::bins_of_rank(bins, count);
  for (const bool scattered : {false, true}) {
    MUST_NCCL(ncclGroupStart());
    for (int r = 0; r < count; ++r) {
      const Gpu& gpu = *ranks[r].gpu;
      MUST(cudaSetDevice(device_of(r)));
      const float* samples = gpu.device;
      const size_t n = gpu.samples.size();
      if (scattered) {
        MUST_NCCL(
            tollgate::histogram_even_scattered(ranks[r].comm, samples, n, gpu.counts, bins, 0.0f, 1.0f, gpu.stream));
      } else {
        MUST_NCCL(tollgate::histogram_even(ranks[r].comm, samples, n, gpu.counts, bins, 0.0f, 1.0f, gpu.stream));
      }
    }
    MUST_NCCL(ncclGroupEnd());
    for (int r = 0; r < count; ++r) {
      MUST(cudaSetDevice(device_of(r)));
      MUST(cudaStreamSynchronize(ranks[r].gpu->stream));
      const size_t first = scattered ? std::min<size_t>(r * share, bins) : 0;
      const size_t last = scattered ? std::min<size_t>(first + share, bins) : bins;
      const std::vector<uint64_t> got = read(ranks[r].gpu->counts + first, last - first);
      const std::vector<uint64_t> part(want.begin() + first, want.begin() + last);
      expect(difference(got, part).empty(), "rank " + std::to_string(r) + " of " + std::to_string(count) + ", " +
                                                std::to_string(bins) + " bins: " + difference(got, part));
    }
  }
}

// The same samples for all communicators, cut into as many parts as there are ranks.
template <class W> struct Weighted {
  using Sum = std::conditional_t<std::is_same_v<W, int>, long long, double>;
  std::vector<float> samples;
  std::vector<W> weights;
  W bound;
  uint64_t total;            // as it is told to tollgate
  std::vector<float> levels; // empty: equal bins
  int bins;
  bool found; // the bound is looked for on the devices
  std::vector<Sum> want;

  Weighted(size_t n, uint64_t total_, int bins_, W bound_, bool found_, bool by_range)
      : samples(n), bound(bound_), total(total_), bins(bins_), found(found_) {
    std::mt19937_64 random(n + bins);
    for (float& x : samples) x = random_sample<float>(random, 0.0f, 1.0f, bins);
    weights = random_weights(random, n, bound, !found);
    if constexpr (!std::is_same_v<W, int>) {
      if (found) bound = bound_of(weights);
    }
    for (int b = 0; by_range && b <= bins; ++b) levels.push_back(static_cast<float>(b) * b / bins / bins);
    want = weighted_sums<Sum>(
        samples, weights, bins, bound,
        [&](float x) { return by_range ? range_bin(x, levels, true) : even_bin(x, 0.0f, 1.0f, bins, true); }, total);
  }

  // Allocated before any rank begins: an allocation may wait for a GPU that waits for this one's rank.
  struct Place {
    DeviceArray<float> x, edges;
    DeviceArray<W> w, bound;
    DeviceArray<Sum> sums;
    explicit Place(const Weighted& c) : x(c.samples), edges(c.levels), w(c.weights), bound(1), sums(c.bins) {}
  };

  // What rank r of `count` gets, several times. `lonely`: all samples are on the last rank.
  std::vector<std::vector<Sum>> run(const Rank& rank, Place& place, int r, int count, bool lonely) const {
    MUST(cudaSetDevice(device_of(r)));
    const size_t n = samples.size();
    const size_t first = lonely ? 0 : n * r / count, last = lonely ? (r == count - 1 ? n : 0) : n * (r + 1) / count;
    const float *from = place.x.data + first, *at = place.edges.data;
    const W* weight = place.w.data + first;
    Sum* sums = place.sums.data;
    const cudaStream_t stream = rank.gpu->stream;
    std::vector<std::vector<Sum>> results;
    for (int repeat = 0; repeat < repeats; ++repeat) {
      place.sums.poison();
      MUST(cudaStreamSynchronize(nullptr));
      const auto call = [&](auto given) {
        if (!levels.empty()) {
          return tollgate::weighted_histogram_range(rank.comm, from, weight, last - first, total, sums, bins, at, given,
                                                    stream);
        }
        return tollgate::weighted_histogram_even(rank.comm, from, weight, last - first, total, sums, bins, 0.0f, 1.0f,
                                                 given, stream);
      };
      if constexpr (std::is_same_v<W, int>) {
        MUST_NCCL(call(bound));
      } else {
        if (found) MUST(tollgate::weight_bound(weight, last - first, place.bound.data, stream));
        MUST_NCCL(found ? call(place.bound.data) : call(bound));
      }
      MUST(cudaStreamSynchronize(stream));
      results.push_back(place.sums.read());
    }
    return results;
  }

  void compare(const std::vector<Rank>& ranks) const {
    const int count = static_cast<int>(ranks.size());
    std::vector<std::unique_ptr<Place>> places;
    for (int r = 0; r < count; ++r) {
      MUST(cudaSetDevice(device_of(r)));
      places.push_back(std::make_unique<Place>(*this));
      MUST(cudaDeviceSynchronize());
    }
    for (const bool lonely : {false, true}) {
      std::vector<std::vector<std::vector<Sum>>> results(count);
      std::vector<std::thread> threads;
      for (int r = 0; r < count; ++r) {
        threads.emplace_back([&, r] { results[r] = run(ranks[r], *places[r], r, count, lonely); });
      }
      for (std::thread& thread : threads) thread.join();
      for (int r = 0; r < count; ++r) {
        for (size_t repeat = 0; repeat < results[r].size(); ++repeat) {
          expect_sums(results[r][repeat], want,
                      "weighted, rank " + std::to_string(r) + " of " + std::to_string(count) + ", " +
                          std::to_string(bins) + " bins, run " + std::to_string(repeat));
        }
      }
    }
  }
};

void arguments(const Rank& rank) {
  MUST(cudaSetDevice(device_of(0)));
  const float* samples = rank.gpu->device;
  double* sums = reinterpret_cast<double*>(rank.gpu->counts);
  expect(tollgate::histogram_even(rank.comm, samples, 1, rank.gpu->counts, 0, 0.0f, 1.0f) == ncclInvalidArgument,
         "no bins");
  const auto weighted = [&](int n, uint64_t total, float bound) {
    return tollgate::weighted_histogram_even(rank.comm, samples, samples, n, total, sums, 4, 0.0f, 1.0f, bound);
  };
  expect(weighted(5, 4, 1.0f) == ncclInvalidArgument, "more weights than in total");
  expect(weighted(5, 5, -1.0f) == ncclInvalidArgument, "a negative bound");
  expect(weighted(-1, 5, 1.0f) == ncclInvalidArgument, "a negative size");
}

int main() {
  // A kernel that is loaded at its first launch may wait for one that waits for the other ranks.
  setenv("CUDA_MODULE_LOADING", "EAGER", 0);
  const int count = most_ranks();
  std::vector<Gpu> gpus(count);
  std::mt19937_64 random(11);
  for (int r = 0; r < count; ++r) {
    Gpu& gpu = gpus[r];
    MUST(cudaSetDevice(device_of(r)));
    MUST(cudaStreamCreate(&gpu.stream));
    gpu.samples.resize(n * 2 / 5 + 1000 * r);
    for (float& x : gpu.samples) x = random_sample<float>(random, 0.0f, 1.0f, 1000);
    MUST(cudaMalloc(&gpu.device, gpu.samples.size() * sizeof(float)));
    MUST(cudaMemcpy(gpu.device, gpu.samples.data(), gpu.samples.size() * sizeof(float), cudaMemcpyHostToDevice));
    MUST(cudaMalloc(&gpu.counts, (most_bins + count) * sizeof(uint64_t)));
  }
  const Weighted<float> known(n, n, 256, 3.0f, false, false), unknown(n, n, 256, 3.0f, true, false);
  const Weighted<float> many(n, uint64_t{1} << 35, 40000, 3.0f, true, false), range(n, n, 64, 3.0f, false, true);
  const Weighted<double> wide(n, n, 1000, 1e-310, true, false);
  const Weighted<int> integers(n, n, 256, 2000000000, false, false);
  for (int size = 1; size <= count; ++size) {
    std::vector<ncclComm_t> comms(size);
    MUST_NCCL(ncclCommInitAll(comms.data(), size, nullptr));
    std::vector<Rank> ranks;
    for (int r = 0; r < size; ++r) ranks.push_back({comms[r], &gpus[r]});
    for (const int bins : {1, 256, 1000, most_bins}) compare(ranks, bins);
    known.compare(ranks);
    unknown.compare(ranks);
    many.compare(ranks);
    range.compare(ranks);
    wide.compare(ranks);
    integers.compare(ranks);
    arguments(ranks[0]);
    for (const ncclComm_t comm : comms) MUST_NCCL(ncclCommDestroy(comm));
    std::printf("ranks: %d\n", size);
  }
  return finish("nccl");
}
