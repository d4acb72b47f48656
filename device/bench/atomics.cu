// The throughput of every atomic function that the toolkit has for a type, in shared and in global memory: all threads
// at one address, and each at its own beside its neighbours'. The functions are those of docs/atomics.md.
//
//   atomics [--out FILE]
#include "../isa/functions.h"
#include "timing.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int blocks = 264, threads = 1024;

template <class Function, class T, bool shared, bool used>
__global__ void __launch_bounds__(threads) repeat(T* global, T value, bool own, int rounds, unsigned char* sink) {
  __shared__ alignas(16) unsigned char room[shared ? threads * sizeof(T) : 16];
  T* const words = reinterpret_cast<T*>(room);
  if (shared) {
    words[threadIdx.x] = value;
    __syncthreads();
  }
  const unsigned at = !own ? 0 : shared ? threadIdx.x : blockIdx.x * threads + threadIdx.x;
  unsigned char seen = 0;
  for (int i = 0; i < rounds; ++i) {
    T before;
    if constexpr (shared) {
      before = Function::apply(&words[at], value);
    } else {
      before = Function::apply(&global[at], value);
    }
    if (used) seen |= *reinterpret_cast<unsigned char*>(&before);
  }
  if (used && seen == 0xa5) *sink = seen;
}

struct Bench {
  void* global = nullptr;
  unsigned char* sink = nullptr;
  FILE* out = nullptr;
  bool first = true;

  template <class Function, class T, bool shared, bool used> void run(const char* type, T value) {
    for (const bool own : {false, true}) {
      const auto launch = [&](int rounds) {
        repeat<Function, T, shared, used><<<blocks, threads>>>(static_cast<T*>(global), value, own, rounds, sink);
      };
      launch(2);
      const double few = bench::milliseconds([&] { launch(4); }, 1);
      const int rounds = static_cast<int>(std::clamp(4 / std::max(few, 0.002), 8.0, 2048.0));
      const double gops = 1e-6 * blocks * threads * rounds / bench::milliseconds([&] { launch(rounds); });
      std::printf("%-4s %-8s %-6s %-6s %-3s %9.3f\n", Function::text, type, shared ? "shared" : "global",
                  used ? "used" : "unused", own ? "own" : "one", gops);
      if (out == nullptr) continue;
      std::fprintf(
          out,
          "%s {\"op\": \"%s\", \"type\": \"%s\", \"space\": \"%s\", \"result\": \"%s\", \"addresses\": \"%s\", "
          "\"gops\": %.4g}",
          first ? "" : ",\n", Function::text, type, shared ? "shared" : "global", used ? "used" : "unused",
          own ? "own" : "one", gops);
      first = false;
    }
  }
  template <class Function, class T, bool in_shared = true> void all(const char* type, T value) {
    if constexpr (in_shared) {
      run<Function, T, true, false>(type, value);
      run<Function, T, true, true>(type, value);
    }
    run<Function, T, false, false>(type, value);
    run<Function, T, false, true>(type, value);
  }
  template <class T> void integer(const char* type) {
    all<Min, T>(type, 1);
    all<Max, T>(type, 1);
    all<And, T>(type, 1);
    all<Or, T>(type, 1);
    all<Xor, T>(type, 1);
  }
};

} // namespace

int main(int argc, char** argv) {
  Bench bench;
  bench.out = argc == 3 && std::strcmp(argv[1], "--out") == 0 ? std::fopen(argv[2], "w") : nullptr;
  MUST(cudaMalloc(&bench.global, size_t{16} * blocks * threads));
  MUST(cudaMemset(bench.global, 0, size_t{16} * blocks * threads));
  MUST(cudaMalloc(&bench.sink, 16));
  cudaDeviceProp properties;
  MUST(cudaGetDeviceProperties(&properties, 0));
  if (bench.out != nullptr) {
    std::fprintf(bench.out,
                 "{\"gpu\": \"%s\", \"blocks\": %d, \"threads\": %d, \"unit\": \"billion a second\", \"cells\": [\n",
                 properties.name, blocks, threads);
  }
  bench.all<Add, int>("int", 1);
  bench.all<Add, unsigned>("unsigned", 1);
  bench.all<Add, u64>("u64", 1);
  bench.all<Add, half>("half", __float2half(1.0f));
  bench.all<Add, half2>("half2", __float2half2_rn(1.0f));
  bench.all<Add, bf16>("bf16", __float2bfloat16(1.0f));
  bench.all<Add, bf162>("bf162", __float2bfloat162_rn(1.0f));
  bench.all<Add, float>("float", 1.0f);
  bench.all<Add, float2, false>("float2", make_float2(1, 1));
  bench.all<Add, float4, false>("float4", make_float4(1, 1, 1, 1));
  bench.all<Add, double>("double", 1.0);
  bench.all<Sub, int>("int", 1);
  bench.all<Sub, unsigned>("unsigned", 1);
  bench.integer<int>("int");
  bench.integer<unsigned>("unsigned");
  bench.integer<i64>("i64");
  bench.integer<u64>("u64");
  bench.all<Inc, unsigned>("unsigned", 1);
  bench.all<Dec, unsigned>("unsigned", 1);
  bench.all<Exch, int>("int", 1);
  bench.all<Exch, unsigned>("unsigned", 1);
  bench.all<Exch, u64>("u64", 1);
  bench.all<Exch, float>("float", 1.0f);
  bench.all<Exch, b128>("b128", {1, 1});
  bench.all<CAS, int>("int", 1);
  bench.all<CAS, unsigned>("unsigned", 1);
  bench.all<CAS, u64>("u64", 1);
  bench.all<CAS, u16>("u16", 1);
  bench.all<CAS, b128>("b128", {1, 1});
  if (bench.out != nullptr) {
    std::fprintf(bench.out, "\n]}\n");
    std::fclose(bench.out);
  }
}
