// tollgate's histogram of one sample type, SAMPLE (called NAME): compiled once for each.
#include "runner.h"
#include "types.h"

#include <tollgate/histogram.h>

namespace {

template <class C> cudaError_t count(void*, size_t& bytes, const void* samples, uint64_t n, void* counts, int bins) {
  bytes = 1;
  using L = bench::Levels<SAMPLE>;
  return tollgate::histogram_even(static_cast<const SAMPLE*>(samples), n, static_cast<C*>(counts), bins,
                                  static_cast<L::type>(0), static_cast<L::type>(L::upper), nullptr,
                                  tollgate::upper_edge::excluded);
}

const bool known = [] {
  bench::all_counters().push_back({"tollgate", NAME, "u32", 4, count<uint32_t>});
  bench::all_counters().push_back({"tollgate", NAME, "u64", 8, count<unsigned long long>});
  return true;
}();

} // namespace
