// The share of the read-only roof by number of bins: 2 GiB of samples, both sides of every change of table. Looks for
// steps between neighbouring numbers of bins.
//
//   bins [--out FILE] [--quick]
#include "timing.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <tollgate/histogram.h>
#include <vector>

#ifndef SAMPLE
#define SAMPLE uint32_t
#define SAMPLE_NAME "u32"
#endif

namespace {

using Sample = SAMPLE;
constexpr size_t bytes = size_t{1} << 31;
constexpr size_t n = bytes / sizeof(Sample);
constexpr int value_bits = sizeof(Sample) == 2 ? 16 : 31;

enum Data { uniform, constant, two, comb, runs };
const char* const names[] = {"uniform", "constant", "two", "comb", "runs"};

__global__ void fill(Sample* samples, Data data) {
  const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
    unsigned long long x = ((data == runs ? i / 64 : i) + 1) * 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    const unsigned long long top = 1ull << value_bits, random = (x ^ x >> 31) % top;
    const unsigned long long value = data == constant ? top / 3
                                     : data == two    ? (random & 1 ? top / 5 : top / 5 * 3)
                                     : data == comb   ? random % 8 * (top / 8)
                                                      : random;
    samples[i] = static_cast<Sample>(value);
  }
}

__global__ void add_up(const unsigned* counts, int bins, unsigned long long* sum) {
  unsigned long long own = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < bins; i += gridDim.x * blockDim.x) own += counts[i];
  atomicAdd(sum, own);
}

template <class F> double microseconds(F work) { return bench::milliseconds(work) * 1e3; }

} // namespace

int main(int argc, char** argv) {
  FILE* out = nullptr;
  bool quick = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--out") == 0 && i + 1 < argc) {
      out = std::fopen(argv[++i], "w");
    } else if (std::strcmp(argv[i], "--quick") == 0) {
      quick = true;
    } else {
      return std::fprintf(stderr, "usage: %s [--out FILE] [--quick]\n", argv[0]), 2;
    }
  }
  Sample* samples;
  unsigned* counts;
  unsigned long long* sum;
  MUST(cudaMalloc(&samples, bytes));
  MUST(cudaMalloc(&counts, size_t{4} << 24));
  MUST(cudaMalloc(&sum, 8));
  std::vector<int> all = {1800,    1810,    3600,    3630,    7200,    7300,    14000,   14600,   29000,   29100,
                          40000,   58000,   58200,   65536,   80000,   100000,  111900,  112200,  160000,  200000,
                          223900,  224300,  300000,  400000,  447800,  448600,  460000,  480000,  500000,  550000,
                          600000,  800000,  895600,  897000,  1000000, 1 << 20, 1343500, 1345600, 1600000, 1 << 21,
                          2300000, 2700000, 2900000, 3200000, 1 << 22, 1 << 24};
  if (quick) all = {58200, 65536, 200000, 400000, 448600, 600000, 1 << 20, 1 << 21};
  fill<<<1056, 512>>>(samples, uniform);
  const double roof =
      microseconds([&] { bench::read_only<<<1056, 512>>>(reinterpret_cast<uint4*>(samples), bytes / 16, counts); });
  std::printf("roof %.3f TB/s\n", bytes / roof * 1e-6);
  if (out != nullptr)
    std::fprintf(out, "{\"sample\": \"%s\", \"roof_tb_s\": %.4f, \"cells\": [\n", SAMPLE_NAME, bytes / roof * 1e-6);
  bool first = true;
  for (const Data data : {uniform, constant, two, comb, runs}) {
    fill<<<1056, 512>>>(samples, data);
    double before = 0;
    for (const int bins : all) {
      if (bins > 1ll << value_bits) break;
      const double time = microseconds([&] {
        MUST(tollgate::histogram_even(const_cast<const Sample*>(samples), n, counts, bins, uint32_t{0},
                                      uint32_t{1} << value_bits));
      });
      unsigned long long total = 0;
      MUST(cudaMemset(sum, 0, 8));
      add_up<<<264, 256>>>(counts, bins, sum);
      MUST(cudaMemcpy(&total, sum, 8, cudaMemcpyDeviceToHost));
      const double share = roof / time;
      std::printf("%-8s %8d bins %9.1f us %.3f of the roof%s%s\n", names[data], bins, time, share,
                  before > 1.5 * share ? "  STEP" : "", total == n ? "" : "  WRONG TOTAL");
      before = share;
      if (out == nullptr) continue;
      std::fprintf(out, "%s {\"data\": \"%s\", \"bins\": %d, \"us\": %.1f, \"share\": %.4f}", first ? "" : ",\n",
                   names[data], bins, time, share);
      first = false;
    }
  }
  if (out != nullptr) {
    std::fprintf(out, "\n]}\n");
    std::fclose(out);
  }
}
