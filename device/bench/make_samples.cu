// Makes samples whose bins follow a distribution; within its bin a sample lies anywhere.
#include "runner.h"
#include "types.h"

namespace bench {
namespace {

__device__ uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

__device__ uint32_t bin_of(uint64_t i, uint64_t n, uint32_t bins, Distribution distribution) {
  const uint64_t random = mix(i + 0x9e3779b97f4a7c15ull);
  switch (distribution) {
  case Distribution::uniform: return random % bins;
  case Distribution::constant: return bins / 3;
  case Distribution::two: return random & 1 ? bins / 3 : bins - 1;
  case Distribution::comb: return (random % 8) * (bins / 8 == 0 ? 1 : bins / 8) % bins;
  case Distribution::zipf: { // probability proportional to 1 / (bin + 1)
    const double u = (random >> 11) * 0x1p-53;
    const uint32_t bin = static_cast<uint32_t>(exp(u * log(bins + 1.0)) - 1.0);
    return bin < bins ? bin : bins - 1;
  }
  case Distribution::runs: return mix(i / 64) % bins;
  default: return static_cast<uint32_t>(static_cast<double>(i) / n * bins);
  }
}

// Below 1 a value stays below 1.
template <class T> __device__ T rounded_down(double x) { return static_cast<T>(x); }
template <> __device__ float rounded_down(double x) { return __double2float_rz(x); }
template <> __device__ __half rounded_down(double x) { return __float2half_rz(__double2float_rz(x)); }
template <> __device__ __nv_bfloat16 rounded_down(double x) { return __float2bfloat16_rz(__double2float_rz(x)); }

template <class T> __global__ void make_kernel(T* samples, uint64_t n, uint32_t bins, Distribution distribution) {
  const uint64_t step = static_cast<uint64_t>(gridDim.x) * blockDim.x;
  for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
    const uint32_t bin = bin_of(i, n, bins, distribution);
    const uint64_t random = mix(i * 3 + 1);
    if constexpr (Levels<T>::floating) {
      const double within = distribution == Distribution::constant ? 0.5 : (random >> 40) * 0x1p-24;
      samples[i] = rounded_down<T>((bin + within) / bins);
    } else {
      const uint64_t width = static_cast<uint64_t>(Levels<T>::upper) / bins;
      samples[i] = static_cast<T>(bin * width + (width < 2 ? 0 : random % width));
    }
  }
}

template <class T> cudaError_t make(void* samples, uint64_t n, uint32_t bins, Distribution distribution) {
  make_kernel<<<2048, 256>>>(static_cast<T*>(samples), n, bins, distribution);
  return cudaGetLastError();
}

template <class T> Samples samples_of(const char* name) { return {name, sizeof(T), Levels<T>::most_bins, make<T>}; }

} // namespace

std::vector<Samples>& all_samples() {
  static std::vector<Samples> samples = {
      samples_of<uint8_t>("u8"),         samples_of<uint16_t>("u16"), samples_of<__half>("half"),
      samples_of<__nv_bfloat16>("bf16"), samples_of<uint32_t>("u32"), samples_of<int32_t>("i32"),
      samples_of<float>("float"),        samples_of<uint64_t>("u64"), samples_of<double>("double")};
  return samples;
}

std::vector<Counter>& all_counters() {
  static std::vector<Counter> counters;
  return counters;
}

} // namespace bench
