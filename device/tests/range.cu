// histogram_range, several channels, regions, iterators and CUB's signatures against the host.
#include "reference.h"

using namespace test;

template <class T, class C, class L> void range_case(std::mt19937_64& random, size_t n, int bins, L lower, L upper) {
  std::vector<L> levels(bins + 1);
  for (L& level : levels) level = random_sample<L>(random, lower, upper, bins);
  for (L& level : levels) {
    if (!(number(level) >= number(lower) && number(level) <= number(upper))) level = lower;
  }
  std::sort(levels.begin(), levels.end(), [](L a, L b) { return number(a) < number(b); });
  std::vector<T> samples(n);
  for (T& x : samples) x = random_sample<T>(random, lower, upper, bins);
  if (n > 2) samples[1] = static_cast<T>(levels[bins]);
  for (const bool closed : {false, true}) {
    std::vector<C> want(bins, C(0));
    for (const T x : samples) {
      const long long bin = range_bin(x, levels, closed);
      if (bin >= 0) ++want[bin];
    }
    const DeviceArray<T> device(samples);
    const DeviceArray<L> edges(levels);
    DeviceArray<C> counts(bins);
    counts.poison();
    MUST(tollgate::histogram_range(device.data, n, counts.data, bins, static_cast<const L*>(edges.data), nullptr,
                                   closed ? tollgate::upper_edge::included : tollgate::upper_edge::excluded));
    const std::string wrong = difference(counts.read(), want);
    expect(wrong.empty(), "range, samples of " + std::to_string(sizeof(T)) + " bytes, bins " + std::to_string(bins) +
                              (closed ? " closed: " : ": ") + wrong);
  }
}

template <class T, class C, class L> void range_type(L lower, L upper) {
  std::mt19937_64 random(sizeof(T) * 31 + sizeof(L));
  for (const int bins : {1, 3, 1023}) range_case<T, C, L>(random, 3001, bins, lower, upper);
}

// Channels of a region, by the direct call and by CUB's signature.
template <int Channels, int Active, class T, class L>
void region_case(std::mt19937_64& random, int row_pixels, int rows, size_t gap, const int (&bins)[Active],
                 const L (&lower)[Active], const L (&upper)[Active]) {
  const size_t stride = (static_cast<size_t>(row_pixels) * Channels + gap) * sizeof(T);
  std::vector<T> samples((row_pixels * Channels + gap) * rows + Channels);
  for (size_t i = 0; i < samples.size(); ++i) samples[i] = random_sample<T>(random, lower[0], upper[0], bins[0]);
  const DeviceArray<T> device(samples);
  uint32_t* counts[Active];
  int levels[Active];
  for (int c = 0; c < Active; ++c) {
    MUST(cudaMalloc(&counts[c], bins[c] * sizeof(uint32_t)));
    levels[c] = bins[c] + 1;
  }
  for (const bool closed : {false, true}) {
    for (int c = 0; c < Active; ++c) MUST(cudaMemset(counts[c], 0x5a, bins[c] * sizeof(uint32_t)));
    if (closed) {
      MUST((tollgate::multi_histogram_even<Channels, Active>(device.data, row_pixels, rows, stride, counts, bins, lower,
                                                             upper)));
    } else {
      size_t bytes = 0;
      MUST((tollgate::DeviceHistogram::MultiHistogramEven<Channels, Active>(nullptr, bytes, device.data, counts, levels,
                                                                            lower, upper, row_pixels, rows, stride)));
      expect(bytes > 0, "temporary storage of no bytes cannot be allocated");
      DeviceArray<char> temp(bytes);
      MUST((tollgate::DeviceHistogram::MultiHistogramEven<Channels, Active>(
          temp.data, bytes, device.data, counts, levels, lower, upper, row_pixels, rows, stride)));
    }
    for (int c = 0; c < Active; ++c) {
      std::vector<uint32_t> want(bins[c], 0), got(bins[c]);
      for (int row = 0; row < rows; ++row) {
        for (int pixel = 0; pixel < row_pixels; ++pixel) {
          const T x = samples[row * (row_pixels * Channels + gap) + pixel * Channels + c];
          const long long bin = even_bin(x, lower[c], upper[c], bins[c], closed);
          if (bin >= 0) ++want[bin];
        }
      }
      MUST(cudaMemcpy(got.data(), counts[c], got.size() * sizeof(uint32_t), cudaMemcpyDeviceToHost));
      expect(difference(got, want).empty(), "region of " + std::to_string(row_pixels) + " x " + std::to_string(rows) +
                                                " pixels, channel " + std::to_string(c) + ": " + difference(got, want));
    }
  }
  for (uint32_t* pointer : counts) MUST(cudaFree(pointer));
}

// Squares, made on the fly: an iterator that is no pointer.
struct Squares {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = uint32_t;
  using difference_type = long long;
  using pointer = const uint32_t*;
  using reference = uint32_t;
  uint64_t first;
  __host__ __device__ uint32_t operator[](long long i) const {
    return static_cast<uint32_t>((first + i) * (first + i));
  }
  __host__ __device__ uint32_t operator*() const { return (*this)[0]; }
  __host__ __device__ Squares operator+(long long i) const { return {first + i}; }
};

void iterator_case() {
  std::vector<uint32_t> want(1000, 0);
  for (uint32_t i = 0; i < 20000; ++i) {
    const long long bin = even_bin(Squares{3}[i], 0u, 1u << 28, 1000, true);
    if (bin >= 0) ++want[bin];
  }
  DeviceArray<uint32_t> counts(1000);
  counts.poison();
  MUST(tollgate::histogram_even(Squares{3}, 20000, counts.data, 1000, 0u, 1u << 28));
  expect(difference(counts.read(), want).empty(), "iterator: " + difference(counts.read(), want));
}

int main() {
  std::mt19937_64 random(3);
  range_type<uint8_t, int>(-20, 300);
  region_case<4, 3, uint8_t>(random, 61, 17, 3, {256, 10, 300}, {0, 0, 10}, {256, 256, 200});
  region_case<3, 3, uint16_t>(random, 35, 9, 5, {16, 1000, 70000}, {0, 100, 0}, {65536, 5000, 65536});
  iterator_case();
#ifdef TOLLGATE_TEST_EVERYTHING
  range_type<float, uint32_t>(-2.0f, 5.0f);
  range_type<__half, int>(-1.0f, 1.0f);
  range_type<double, uint32_t>(-2.0, 5.0);
  range_type<int, uint32_t>(-1000, 100000);
  range_type<uint64_t, uint32_t>(int64_t{-10}, int64_t{1} << 62);
  range_type<int16_t, uint32_t>(uint16_t{3}, uint16_t{60000});
  region_case<4, 3, uint8_t>(random, 1920, 1080, 0, {256, 256, 256}, {0, 0, 0}, {256, 256, 256});
  region_case<3, 3, uint8_t>(random, 1921, 333, 1, {256, 16, 100}, {0, 0, 0}, {256, 256, 256});
  region_case<2, 1, float>(random, 100003, 7, 2, {1024}, {0.0f}, {1.0f});
  region_case<4, 4, double>(random, 517, 401, 3, {10, 20, 30, 40000}, {0.0, 0.0, 0.0, 0.0}, {1.0, 2.0, 3.0, 4.0});
  region_case<1, 1, int>(random, 333, 5000, 11, {200000}, {-5}, {1000000});
  region_case<3, 2, __half>(random, 20, 30000, 1, {64, 64}, {0.0f, 0.5f}, {1.0f, 1.0f});
#endif
  return finish("range");
}
