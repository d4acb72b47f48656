// CUB's histogram of one sample type, SAMPLE (called NAME): compiled once for each.
#include "runner.h"
#include "types.h"

#include <cub/device/device_histogram.cuh>

namespace {

template <class S> struct CubLevel {
  using type = bench::Levels<S>::type;
};
template <> struct CubLevel<__half> {
  using type = __half;
};
template <> struct CubLevel<__nv_bfloat16> {
  using type = __nv_bfloat16;
};

template <class C>
cudaError_t count(void* temp, size_t& bytes, const void* samples, uint64_t n, void* counts, int bins) {
  using L = CubLevel<SAMPLE>::type;
  return cub::DeviceHistogram::HistogramEven(temp, bytes, static_cast<const SAMPLE*>(samples), static_cast<C*>(counts),
                                             bins + 1, static_cast<L>(0.0f),
                                             static_cast<L>(bench::Levels<SAMPLE>::upper), static_cast<int64_t>(n));
}

const bool known = [] {
  bench::all_counters().push_back({"cub", NAME, "u32", 4, count<uint32_t>});
  bench::all_counters().push_back({"cub", NAME, "u64", 8, count<unsigned long long>});
  return true;
}();

} // namespace
