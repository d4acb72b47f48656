// The steps from one global atomic a byte to a table that every lane owns a column of: 256 bins, one gibibyte of bytes.
// Prints and writes the share of the read-only roof for several kinds of data.
//
//   steps [--out FILE]
#include "timing.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tollgate/histogram.h>
#include <tollgate/weighted_histogram.h>
#include <vector>

namespace {

using Byte = unsigned char;

__global__ void global_atomics(const Byte* data, size_t n, unsigned* counts) {
  const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
    atomicAdd(&counts[data[i]], 1u);
  }
}

// hist256: a table for each block in shared memory, added to the result at the end.
__global__ void shared_table(const Byte* data, size_t n, unsigned* counts) {
  __shared__ unsigned table[256];
  if (threadIdx.x < 256) table[threadIdx.x] = 0;
  __syncthreads();
  const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
    atomicAdd(&table[data[i]], 1u);
  }
  __syncthreads();
  if (threadIdx.x < 256) atomicAdd(&counts[threadIdx.x], table[threadIdx.x]);
}

// The same, sixteen bytes with one load, in `copies` tables side by side.
template <int copies> __global__ void vector_loads(const uint4* data, size_t n, unsigned* counts) {
  __shared__ unsigned table[256 * copies];
  for (int i = threadIdx.x; i < 256 * copies; i += blockDim.x) table[i] = 0;
  __syncthreads();
  const unsigned copy = threadIdx.x % copies;
  const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
    const uint4 v = data[i];
    for (const unsigned word : {v.x, v.y, v.z, v.w}) {
      for (int shift = 0; shift < 32; shift += 8) atomicAdd(&table[(word >> shift & 255) * copies + copy], 1u);
    }
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) {
    unsigned sum = 0;
    for (int c = 0; c < copies; ++c) sum += table[bin * copies + (c + threadIdx.x) % copies];
    atomicAdd(&counts[bin], sum);
  }
}

enum Kind { uniform, constant, comb };
__global__ void fill(Byte* data, size_t n, Kind kind) {
  const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
    unsigned long long x = (i + 1) * 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    const unsigned random = static_cast<unsigned>(x >> 40);
    data[i] = kind == uniform ? random & 255 : kind == constant ? 'a' : (random >> 8 & 31) * 8;
  }
}

__global__ void fill_floats(float* data, size_t n, unsigned salt) {
  const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
    unsigned long long x = (i + salt) * 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    data[i] = static_cast<float>(x >> 40) * 0x1p-24f;
  }
}

template <class F> double microseconds(F work) { return bench::milliseconds(work, 5, 200) * 1e3; }

} // namespace

int main(int argc, char** argv) {
  FILE* out = argc == 3 && std::strcmp(argv[1], "--out") == 0 ? std::fopen(argv[2], "w") : nullptr;
  const size_t n = size_t{1} << 30;
  Byte* data;
  unsigned* counts;
  MUST(cudaMalloc(&data, n));
  MUST(cudaMalloc(&counts, 1024));
  int processors = 0;
  MUST(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  const int blocks = processors * 4;
  const uint4* vectors = reinterpret_cast<const uint4*>(data);
  if (out != nullptr) std::fprintf(out, "{\"bytes\": %zu, \"steps\": [\n", n);
  bool first = true;
  for (const Kind kind : {uniform, constant, comb}) {
    const char* const names[] = {"uniform", "constant", "multiples of 8"};
    fill<<<blocks, 512>>>(data, n, kind);
    const double roof = microseconds([&] { bench::read_only<<<blocks, 512>>>(vectors, n / 16, counts); });
    const auto report = [&](const char* step, double time) {
      std::printf("%-15s %-34s %10.1f us %.4f of the roof\n", names[kind], step, time, roof / time);
      if (out == nullptr) return;
      std::fprintf(out, "%s {\"data\": \"%s\", \"step\": \"%s\", \"us\": %.1f, \"share\": %.4f}", first ? "" : ",\n",
                   names[kind], step, time, roof / time);
      first = false;
    };
    report("global atomics", microseconds([&] { global_atomics<<<blocks, 512>>>(data, n / 16, counts); }) * 16);
    report("shared table (hist256)", microseconds([&] { shared_table<<<blocks, 512>>>(data, n, counts); }));
    report("16-byte loads, 1 table", microseconds([&] { vector_loads<1><<<blocks, 512>>>(vectors, n / 16, counts); }));
    report("16-byte loads, 8 tables", microseconds([&] { vector_loads<8><<<blocks, 512>>>(vectors, n / 16, counts); }));
    report("16-byte loads, 32 tables",
           microseconds([&] { vector_loads<32><<<blocks, 512>>>(vectors, n / 16, counts); }));
    report("tollgate::histogram_even", microseconds([&] {
             MUST(tollgate::histogram_even(static_cast<const Byte*>(data), n, counts, 256, 0, 256));
           }));
  }
  // Weights: what has to be read is samples and weights, here half of the bytes each.
  const size_t m = n / 8; // floats in half of the gibibyte
  float* samples = reinterpret_cast<float*>(data);
  double* sums;
  MUST(cudaMalloc(&sums, 256 * sizeof(double)));
  fill_floats<<<blocks, 512>>>(samples, 2 * m, 1);
  const double roof = microseconds([&] { bench::read_only<<<blocks, 512>>>(vectors, n / 16, counts); });
  float* bound;
  MUST(cudaMalloc(&bound, sizeof(float)));
  const float *x = samples, *w = samples + m, *found = bound;
  // 20 runs against the first one, then the time.
  const auto weighted = [&](const char* step, auto work) {
    std::vector<double> first_sums(256), sums_now(256);
    bool same = true;
    for (int run = 0; run < 20; ++run) {
      work();
      MUST(cudaMemcpy(sums_now.data(), sums, 256 * sizeof(double), cudaMemcpyDeviceToHost));
      if (run == 0) first_sums = sums_now;
      same = same && std::memcmp(first_sums.data(), sums_now.data(), 256 * sizeof(double)) == 0;
    }
    const double time = microseconds(work);
    std::printf("%-50s %10.1f us %.4f of the roof, 20 runs %s\n", step, time, roof / time,
                same ? "identical" : "DIFFER");
    if (out == nullptr) return;
    std::fprintf(out,
                 ",\n {\"data\": \"uniform\", \"step\": \"%s\", \"us\": %.1f, \"share\": %.4f, "
                 "\"identical_runs\": %d}",
                 step, time, roof / time, same ? 20 : 0);
  };
  weighted("weighted, float, 256 bins",
           [&] { MUST(tollgate::weighted_histogram_even(x, w, m, sums, 256, 0.0f, 1.0f, 1.0f)); });
  weighted("weighted, float, 256 bins, bound looked for", [&] {
    MUST(tollgate::weight_bound(w, m, bound));
    MUST(tollgate::weighted_histogram_even(x, w, m, sums, 256, 0.0f, 1.0f, found));
  });
  // Half of what the weighted sums read.
  const double half = microseconds([&] { bench::read_only<<<blocks, 512>>>(vectors + n / 32, n / 32, counts); });
  const double time = microseconds([&] { MUST(tollgate::weight_bound(w, m, bound)); });
  std::printf("%-50s %10.1f us %.4f of reading the weights\n", "weight_bound, float", time, half / time);
  if (out != nullptr) {
    std::fprintf(out, ",\n {\"data\": \"uniform\", \"step\": \"weight_bound, float\", \"us\": %.1f, \"share\": %.4f}",
                 time, half / time);
    std::fprintf(out, "\n]}\n");
    std::fclose(out);
  }
}
