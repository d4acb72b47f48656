// Histograms over all GPUs of this machine through NCCL, against the host. Not part of the ordinary tests: it needs
// NCCL and a GPU (docs/histogram.md).
#include "reference.h"

#include <tollgate/histogram_nccl.h>

using namespace test;

#define MUST_NCCL(call) expect((call) == ncclSuccess, #call)

struct Rank {
  ncclComm_t comm = nullptr;
  cudaStream_t stream = nullptr;
  std::vector<float> samples;
  float* device = nullptr;
  uint64_t* counts = nullptr;
};

std::vector<uint64_t> totals(const std::vector<Rank>& ranks, int bins) {
  std::vector<uint64_t> want(bins, 0);
  for (const Rank& rank : ranks) {
    for (const float x : rank.samples) {
      const long long bin = even_bin(x, 0.0f, 1.0f, bins, true);
      if (bin >= 0) ++want[bin];
    }
  }
  return want;
}

std::vector<uint64_t> read(const uint64_t* counts, size_t size) {
  std::vector<uint64_t> values(size);
  MUST(cudaMemcpy(values.data(), counts, size * sizeof(uint64_t), cudaMemcpyDeviceToHost));
  return values;
}

void compare(std::vector<Rank>& ranks, int bins) {
  const std::vector<uint64_t> want = totals(ranks, bins);
  const int count = static_cast<int>(ranks.size());
  const size_t share = tollgate::bins_of_rank(bins, count);
  for (const bool scattered : {false, true}) {
    MUST_NCCL(ncclGroupStart());
    for (int r = 0; r < count; ++r) {
      const Rank& rank = ranks[r];
      MUST(cudaSetDevice(r));
      const float* samples = rank.device;
      const size_t n = rank.samples.size();
      if (scattered) {
        MUST_NCCL(
            tollgate::histogram_even_scattered(rank.comm, samples, n, rank.counts, bins, 0.0f, 1.0f, rank.stream));
      } else {
        MUST_NCCL(tollgate::histogram_even(rank.comm, samples, n, rank.counts, bins, 0.0f, 1.0f, rank.stream));
      }
    }
    MUST_NCCL(ncclGroupEnd());
    for (int r = 0; r < count; ++r) {
      MUST(cudaSetDevice(r));
      MUST(cudaStreamSynchronize(ranks[r].stream));
      const size_t first = scattered ? std::min<size_t>(r * share, bins) : 0;
      const size_t last = scattered ? std::min<size_t>(first + share, bins) : bins;
      const std::vector<uint64_t> got = read(ranks[r].counts + first, last - first);
      const std::vector<uint64_t> part(want.begin() + first, want.begin() + last);
      expect(difference(got, part).empty(), "rank " + std::to_string(r) + " of " + std::to_string(count) + ", " +
                                                std::to_string(bins) + " bins: " + difference(got, part));
    }
  }
}

int main() {
  int count = 0;
  MUST(cudaGetDeviceCount(&count));
  constexpr int most_bins = 100001;
  std::vector<Rank> ranks(count);
  std::vector<ncclComm_t> comms(count);
  MUST_NCCL(ncclCommInitAll(comms.data(), count, nullptr));
  std::mt19937_64 random(11);
  for (int r = 0; r < count; ++r) {
    Rank& rank = ranks[r];
    MUST(cudaSetDevice(r));
    rank.comm = comms[r];
    MUST(cudaStreamCreate(&rank.stream));
    rank.samples.resize(200000 + 1000 * r);
    for (float& x : rank.samples) x = random_sample<float>(random, 0.0f, 1.0f, 1000);
    MUST(cudaMalloc(&rank.device, rank.samples.size() * sizeof(float)));
    MUST(cudaMemcpy(rank.device, rank.samples.data(), rank.samples.size() * sizeof(float), cudaMemcpyHostToDevice));
    MUST(cudaMalloc(&rank.counts, (most_bins + count) * sizeof(uint64_t)));
  }
  for (const int bins : {1, 256, 1000, most_bins}) compare(ranks, bins);
  const float* samples = ranks[0].device;
  expect(tollgate::histogram_even(ranks[0].comm, samples, 1, ranks[0].counts, 0, 0.0f, 1.0f) == ncclInvalidArgument,
         "no bins");
  for (const ncclComm_t comm : comms) MUST_NCCL(ncclCommDestroy(comm));
  std::printf("ranks: %d\n", count);
  return finish("nccl");
}
