// aggregated_add, block_aggregated_add and block_histogram against the host.
#include "reference.h"

#include <tollgate/aggregated_add.h>
#include <tollgate/block_histogram.h>

using namespace test;

template <class T> __host__ __device__ T small_number(int i) {
  if constexpr (std::is_same_v<T, __half>) {
    return __float2half(static_cast<float>(i % 3));
  } else if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    return __float2bfloat16(static_cast<float>(i % 3));
  } else {
    return static_cast<T>(i % 3);
  }
}

// Thread i adds i % 3 to the sum number i / run % targets; threads that are not a multiple of `skip` stay away.
template <class T> __global__ void add_kernel(T* sums, int run, int targets, int skip) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i % skip == skip - 1 && skip > 1) return;
  tollgate::aggregated_add(&sums[i / run % targets], small_number<T>(i));
}

template <class T> __global__ void block_add_kernel(T* sums) {
  tollgate::block_aggregated_add(&sums[0], small_number<T>(static_cast<int>(threadIdx.x)));
  tollgate::block_aggregated_add(&sums[1], small_number<T>(1));
}

template <class T> void add_case(const char* name, int threads, int run, int targets, int skip) {
  DeviceArray<T> sums(targets);
  MUST(cudaMemset(sums.data, 0, (targets * sizeof(T) + 4) / 4 * 4)); // whole words
  add_kernel<T><<<threads / 64, 64>>>(sums.data, run, targets, skip);
  MUST(cudaGetLastError());
  std::vector<double> want(targets, 0);
  for (int i = 0; i < threads; ++i) {
    if (skip == 1 || i % skip != skip - 1) want[i / run % targets] += number(small_number<T>(i));
  }
  const std::vector<T> got = sums.read();
  for (int t = 0; t < targets; ++t) {
    expect(number(got[t]) == want[t], std::string("aggregated_add of ") + name + ", run " + std::to_string(run) + ", " +
                                          std::to_string(targets) + " targets, sum " + std::to_string(t) + ": " +
                                          std::to_string(number(got[t])) + " instead of " + std::to_string(want[t]));
  }
}

template <class T> void add_type(const char* name) {
  add_case<T>(name, 128, 1, 1, 1);   // one address
  add_case<T>(name, 128, 1, 3, 1);   // three
  add_case<T>(name, 128, 8, 16, 1);  // runs
  add_case<T>(name, 128, 1, 128, 1); // all different
  add_case<T>(name, 128, 1, 2, 5);   // with lanes missing
  DeviceArray<T> sums(2);
  MUST(cudaMemset(sums.data, 0, (2 * sizeof(T) + 4) / 4 * 4));
  block_add_kernel<T><<<3, 77>>>(sums.data);
  MUST(cudaGetLastError());
  double want = 0;
  for (int i = 0; i < 77; ++i) want += number(small_number<T>(i));
  expect(number(sums.read()[0]) == 3 * want, std::string("block_aggregated_add of ") + name);
  if constexpr (sizeof(T) > 1) expect(number(sums.read()[1]) == 3 * 77, std::string("the same again of ") + name);
}

template <int Bins> __global__ void block_histogram_kernel(const unsigned* bins, int n, unsigned long long* counts) {
  using Histogram = tollgate::block_histogram<Bins>;
  __shared__ typename Histogram::storage storage;
  Histogram histogram(storage);
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += gridDim.x * blockDim.x) {
    histogram.count(bins[i]);
  }
  histogram.add_to(counts);
}

template <int Bins> void block_histogram_case() {
  std::mt19937 random(5);
  std::vector<unsigned> bins(5003);
  std::vector<unsigned long long> want(Bins, 0);
  for (unsigned& bin : bins) {
    bin = random() % (Bins + 5);
    if (bin < Bins) ++want[bin];
  }
  const DeviceArray<unsigned> device(bins);
  DeviceArray<unsigned long long> counts(Bins);
  MUST(cudaMemset(counts.data, 0, Bins * 8));
  block_histogram_kernel<Bins><<<3, 96>>>(device.data, static_cast<int>(bins.size()), counts.data);
  MUST(cudaGetLastError());
  expect(difference(counts.read(), want).empty(), "block_histogram: " + difference(counts.read(), want));
}

int main() {
  add_type<int>("int");
  add_type<float>("float");
  add_type<unsigned long long>("u64");
  add_type<__half>("half");
  add_type<uint8_t>("u8");
  block_histogram_case<10>();
  block_histogram_case<256>();
#ifdef TOLLGATE_TEST_EVERYTHING
  add_type<unsigned>("u32");
  add_type<long long>("i64");
  add_type<double>("double");
  add_type<__nv_bfloat16>("bf16");
  add_type<int16_t>("i16");
  block_histogram_case<1000>();
  block_histogram_case<9000>();
#endif
  return finish("aggregated");
}
