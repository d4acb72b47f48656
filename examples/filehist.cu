// What a file is made of: how often each byte and each 16-bit word occurs, as a bar chart, entropy and the commonest.
//
// Shows: tollgate::histogram_even and bincount of the device library (device/include), on a GPU or on the engine.
//
// Usage:  filehist FILE
// Prints: 16 bars of bytes, then for bytes and for 16-bit words the entropy in bits and the five commonest values.
#include "../device/include/tollgate/histogram.h"
#include "cuda_check.h"

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

using Bytes = std::vector<unsigned char>;
using Counts = std::vector<unsigned long long>;

static Bytes read_file(const char* path) {
  std::FILE* file = std::fopen(path, "rb");
  if (!file) {
    std::perror(path);
    std::exit(2);
  }
  Bytes bytes;
  unsigned char buffer[1 << 16];
  while (const size_t n = std::fread(buffer, 1, sizeof buffer, file))
    bytes.insert(bytes.end(), buffer, buffer + n);
  std::fclose(file);
  return bytes;
}

// [docs/histogram.md]
template <class T> cudaError_t count_all(const T* samples, size_t n, unsigned long long* counts, int values) {
  return tollgate::histogram_even(samples, n, counts, values, 0, values); // bins of width 1 over [0, values]
}
template <class T> cudaError_t count_whole_numbers(const T* samples, size_t n, unsigned long long* counts, int values) {
  return tollgate::bincount(samples, n, counts, values); // the same, in short
}
// [end]

// How often each value of T occurs among the first n.
template <class T> Counts count_values(const unsigned char* device_bytes, size_t n) {
  const int values = 1 << 8 * sizeof(T);
  unsigned long long* device_counts;
  CUDA_CHECK(cudaMalloc(&device_counts, values * sizeof(*device_counts)));
  const T* samples = reinterpret_cast<const T*>(device_bytes);
  CUDA_CHECK(sizeof(T) == 1 ? count_all(samples, n, device_counts, values)
                            : count_whole_numbers(samples, n, device_counts, values));
  Counts counts(values);
  CUDA_CHECK(cudaMemcpy(counts.data(), device_counts, values * sizeof(*device_counts), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(device_counts));
  return counts;
}

static void print_bars(const Counts& bytes) {
  Counts rows(16, 0);
  for (size_t value = 0; value < bytes.size(); ++value)
    rows[value / 16] += bytes[value];
  unsigned long long most = 1;
  for (const unsigned long long row : rows)
    most = std::max(most, row);
  for (size_t row = 0; row < rows.size(); ++row) {
    const std::string bar(static_cast<size_t>(50.0 * static_cast<double>(rows[row]) / static_cast<double>(most)), '#');
    std::printf("%02zx-%02zx %12llu %s\n", row * 16, row * 16 + 15, rows[row], bar.c_str());
  }
}

static void print_summary(const char* what, const Counts& counts) {
  const double total = static_cast<double>(std::accumulate(counts.begin(), counts.end(), 0ull));
  double entropy = 0;
  for (const unsigned long long count : counts) {
    if (count != 0) entropy -= static_cast<double>(count) / total * std::log2(static_cast<double>(count) / total);
  }
  std::vector<size_t> order(counts.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::partial_sort(order.begin(), order.begin() + 5, order.end(),
                    [&](size_t a, size_t b) { return counts[a] != counts[b] ? counts[a] > counts[b] : a < b; });
  std::printf("%s: total %.0f, entropy %.3f bits, commonest:", what, total, entropy + 0.0);
  for (int i = 0; i < 5; ++i)
    std::printf(" %zx (%llu)", order[i], counts[order[i]]);
  std::printf("\n");
}

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FILE\n", argv[0]);
    return 2;
  }
  const Bytes bytes = read_file(argv[1]);
  unsigned char* device_bytes;
  CUDA_CHECK(cudaMalloc(&device_bytes, bytes.size() + 1));
  CUDA_CHECK(cudaMemcpy(device_bytes, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
  const Counts by_byte = count_values<unsigned char>(device_bytes, bytes.size());
  print_bars(by_byte);
  print_summary("bytes", by_byte);
  print_summary("16-bit words", count_values<unsigned short>(device_bytes, bytes.size() / 2));
  CUDA_CHECK(cudaFree(device_bytes));
}
