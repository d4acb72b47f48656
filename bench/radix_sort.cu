// CUB's radix sort of 1 Mi keys, for check_cost.py. Prints the processor time of one sort, the median of several, and
// whether the result is in order. The first sort, which includes code generation, does not count.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <cub/device/device_radix_sort.cuh>
#include <vector>

int main(int argc, char** argv) {
  const int keys = 1 << 20, rounds = argc > 1 ? std::atoi(argv[1]) : 3;
  std::vector<uint32_t> in(keys), out(keys);
  uint32_t state = 12345;
  for (uint32_t& key : in) key = state = state * 1664525u + 1013904223u;
  uint32_t *from = nullptr, *to = nullptr;
  void* scratch = nullptr;
  size_t bytes = 0;
  cudaMalloc(&from, keys * sizeof *from);
  cudaMalloc(&to, keys * sizeof *to);
  cudaMemcpy(from, in.data(), keys * sizeof *from, cudaMemcpyHostToDevice);
  cub::DeviceRadixSort::SortKeys(scratch, bytes, from, to, keys);
  cudaMalloc(&scratch, bytes);
  std::vector<double> times;
  for (int i = 0; i <= rounds; ++i) {
    const std::clock_t start = std::clock();
    cub::DeviceRadixSort::SortKeys(scratch, bytes, from, to, keys);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    if (i > 0) times.push_back(1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  cudaMemcpy(out.data(), to, keys * sizeof *to, cudaMemcpyDeviceToHost);
  std::sort(times.begin(), times.end());
  std::printf("sort: %.1f ms, %s\n", times[times.size() / 2],
              std::is_sorted(out.begin(), out.end()) ? "in order" : "NOT in order");
  return 0;
}
