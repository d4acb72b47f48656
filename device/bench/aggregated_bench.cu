// aggregated_add and block_aggregated_add against plain atomicAdd: one address, few, and addresses spread out.
// Writes JSON: billions of additions a second.
//
//   aggregated_bench [--out FILE]
#include "timing.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tollgate/aggregated_add.h>
#include <vector>

namespace {

constexpr int blocks = 132 * 2, threads = 1024, repeats = 64;
constexpr unsigned words = 1 << 20;

enum Way { plain, aggregated, block };
enum Pattern { one, four, rows, scattered };
const char* const pattern_names[] = {"one address", "4 addresses", "neighbouring addresses", "scattered addresses"};

template <Way way, class T> __global__ void __launch_bounds__(1024) add_kernel(T* sums, Pattern pattern) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const T value = static_cast<T>(1.0f);
  for (int i = 0; i < repeats; ++i) {
    unsigned at = 0;
    if (pattern == four) at = (thread + i) % 4 * 64;
    if (pattern == rows) at = (thread + i * 1024) % words;
    if (pattern == scattered) at = (thread * 2654435761u + i * 40503u) * 2246822519u >> 12;
    if constexpr (way == plain) {
      atomicAdd(&sums[at], value);
    } else if constexpr (way == aggregated) {
      tollgate::aggregated_add(&sums[at], value);
    } else {
      tollgate::block_aggregated_add(&sums[0], value);
    }
  }
}

template <Way way, class T> double rate(T* sums, Pattern pattern) {
  const double time = bench::milliseconds([&] { add_kernel<way, T><<<blocks, threads>>>(sums, pattern); }, 5);
  return 1e-6 * blocks * threads * repeats / time;
}

template <class T> void measure(const char* name, FILE* out, bool last) {
  T* sums;
  MUST(cudaMalloc(&sums, words * sizeof(T)));
  MUST(cudaMemset(sums, 0, words * sizeof(T)));
  for (const Pattern pattern : {one, four, rows, scattered}) {
    const double a = rate<plain>(sums, pattern), b = rate<aggregated>(sums, pattern);
    const double c = pattern == one ? rate<block>(sums, pattern) : 0;
    std::printf("%-7s %-24s plain %8.2f  aggregated %8.2f (%5.2fx)", name, pattern_names[pattern], a, b, b / a);
    if (c > 0) std::printf("  block %8.2f (%6.1fx)", c, c / a);
    std::printf("\n");
    if (out == nullptr) continue;
    std::fprintf(
        out, "  {\"type\": \"%s\", \"pattern\": \"%s\", \"plain\": %.3f, \"aggregated\": %.3f, \"block\": %.3f}%s\n",
        name, pattern_names[pattern], a, b, c, last && pattern == scattered ? "" : ",");
  }
  MUST(cudaFree(sums));
}

} // namespace

int main(int argc, char** argv) {
  FILE* out = argc == 3 && std::strcmp(argv[1], "--out") == 0 ? std::fopen(argv[2], "w") : nullptr;
  cudaDeviceProp properties;
  MUST(cudaGetDeviceProperties(&properties, 0));
  if (out != nullptr) {
    std::fprintf(out, "{\"gpu\": \"%s\", \"unit\": \"billion additions a second\", \"cells\": [\n", properties.name);
  }
  measure<int>("int", out, false);
  measure<unsigned long long>("u64", out, false);
  measure<float>("float", out, false);
  measure<double>("double", out, false);
  measure<__half>("half", out, false);
  measure<__nv_bfloat16>("bf16", out, true);
  if (out != nullptr) {
    std::fprintf(out, "]}\n");
    std::fclose(out);
  }
}
