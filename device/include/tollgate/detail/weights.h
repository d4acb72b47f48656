// Weights as multiples of a power of two: how fine, from what bound, and the kernels that add them up.
//
// A weight w counts as the integer nearest to w * 2^e, ties to even, in 32 bits with the sign. `e` depends on nothing
// but the bound and the number of weights: with bound < 2^a and up to 2^(32 + spare) weights e = 31 - spare - a, so
// that no sum leaves 64 bits.
#pragma once
#include "plan.h"
#include "rules.h"

namespace tollgate::detail {

template <class W> inline constexpr W greatest_finite = std::numeric_limits<W>::max();

// How many bits more than 32 it takes to count `weights` weights.
inline int spare_bits(uint64_t weights) {
  int spare = 0;
  while (spare < 32 && (weights - 1) >> (32 + spare) != 0 && weights != 0) ++spare;
  return spare;
}

template <class W> struct FixedPoint {
  W scale = 1, more = 1; // two factors: for a tiny bound the power of two is beyond W
  int limit = 0;         // what the bound is
  __device__ int operator()(W weight) const {
    int units;
    if constexpr (sizeof(W) == 4) {
      units = __float2int_rn(weight * scale * more);
    } else {
      units = weight == weight ? __double2int_rn(weight * scale * more) : 0; // only a float's NaN becomes 0 by itself
    }
    return max(-limit, min(units, limit));
  }
};
template <> struct FixedPoint<int> {
  __device__ int operator()(int weight) const { return weight; }
};

template <class W> struct Scaling {
  static constexpr bool integers = false;
  const W* memory = nullptr; // device memory where the bound stands when the kernels run
  W value = 0;               // the bound, where there is no such memory
  int spare = 0;

  bool take(W bound) {
    value = bound;
    return bound >= 0 && std::isfinite(bound);
  }
  bool take(const W* bound) {
    memory = bound;
    return bound != nullptr && reinterpret_cast<uintptr_t>(bound) % sizeof(W) == 0;
  }
  __device__ W bound() const { return memory != nullptr ? *memory : value; }
  __device__ static bool good(W bound) { return bound >= 0 && bound <= greatest_finite<W>; }
  __device__ int exponent(W bound) const {
    int above = 0;
    frexp(bound, &above);
    return 31 - spare - above;
  }
  __device__ FixedPoint<W> fixed() const {
    constexpr int least = std::numeric_limits<W>::min_exponent - 1, most = std::numeric_limits<W>::max_exponent - 1;
    FixedPoint<W> fixed;
    const W all = bound();
    if (!good(all)) return fixed;
    const int power = exponent(all), first = max(least, min(power, most));
    fixed.scale = ldexp(W(1), first);
    fixed.more = ldexp(W(1), power - first);
    fixed.limit = spare < 32 ? static_cast<int>((1u << (31 - spare)) - 1) : 0; // the bound may be rounded up to 2^31
    fixed.limit = fixed(all);
    return fixed;
  }
  // A bound in memory that is none gives NaN: nobody is there to return an error to.
  __device__ double sum(long long units) const {
    const W all = bound();
    return good(all) ? ldexp(static_cast<double>(units), -exponent(all)) : static_cast<double>(NAN);
  }
};
template <> struct Scaling<int> {
  static constexpr bool integers = true;
  int spare = 0;
  bool take(int) { return true; }
  __device__ FixedPoint<int> fixed() const { return {}; }
};

// Not a null or crooked pointer.
template <class Iterator> bool readable(Iterator from, uint64_t n) {
  if constexpr (std::is_pointer_v<Iterator>) {
    return (n == 0 || from != nullptr) && reinterpret_cast<uintptr_t>(from) % alignof(sample_of<Iterator>) == 0;
  } else {
    return true;
  }
}

// What a call is about, after its arguments have been looked at.
template <class It, class WIt, class Sum> struct Weighing {
  using W = sample_of<WIt>;
  static_assert(std::is_same_v<W, int> || std::is_same_v<W, float> || std::is_same_v<W, double>,
                "weights: int, float or double");
  static_assert(std::is_same_v<W, int> ? std::is_integral_v<Sum> && sizeof(Sum) == 8 : std::is_same_v<Sum, double>,
                "sums: 64-bit integers for int weights, otherwise double");
  It samples;
  WIt weights;
  uint64_t n = 0;
  Sum* sums;
  uint32_t bins = 0;
  cudaStream_t stream;
  Scaling<W> scaling{};
  bool good = false;

  template <class Size>
  Weighing(It samples_, WIt weights_, Size n_, Sum* sums_, int bins_, cudaStream_t stream_)
      : samples(samples_), weights(weights_), sums(sums_), stream(stream_) {
    if constexpr (std::is_signed_v<Size>) {
      if (n_ < 0) return;
    }
    n = static_cast<uint64_t>(n_);
    bins = static_cast<uint32_t>(bins_);
    scaling.spare = spare_bits(n);
    good = sums != nullptr && bins_ >= 1 && readable(samples, n) && readable(weights, n);
  }
};

// A counter of 64 bits in two words of shared memory, `apart` words from each other: the carry goes by itself.
__device__ inline void add_signed(uint32_t* low, uint32_t apart, int value) {
  const uint32_t before = atomicAdd(low, static_cast<uint32_t>(value));
  const uint32_t carry = before + static_cast<uint32_t>(value) < before ? 1 : 0;
  const uint32_t high = carry - (value < 0 ? 1u : 0u);
  if (high != 0) atomicAdd(low + apart, high);
}

struct WeightedShape {
  uint32_t bins;
  uint32_t copies; // 0: straight into global memory
};

template <class Rule>
__device__ inline void add_weight(const Rule& rule, const WeightedShape& shape, unsigned long long* sums,
                                  typename Rule::Sample x, int weight) {
  uint32_t bin;
  if (!rule(x, bin)) return;
  if (bin >= shape.bins) bin = shape.bins - 1;
  if (shape.copies == 0) {
    atomicAdd(&sums[bin], static_cast<unsigned long long>(static_cast<long long>(weight)));
  } else {
    add_signed(&shared_words()[bin * shape.copies + (threadIdx.x & (shape.copies - 1))], shape.bins * shape.copies,
               weight);
  }
}

template <class Rule, class It, class WIt, class W>
__global__ void __launch_bounds__(1024) weighted_kernel(Rule rule, WeightedShape shape, It samples, WIt weights,
                                                        uint64_t n, Scaling<W> scaling, unsigned long long* sums) {
  const uint32_t words = shape.bins * shape.copies;
  for (uint32_t i = threadIdx.x; i < 2 * words; i += blockDim.x) shared_words()[i] = 0;
  const FixedPoint<W> fixed = scaling.fixed();
  __syncthreads();
  const uint64_t step = static_cast<uint64_t>(gridDim.x) * blockDim.x;
  uint64_t at = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  constexpr int in_flight = 8;
  for (; at + (in_flight - 1) * step < n; at += in_flight * step) {
    sample_of<It> x[in_flight];
    W w[in_flight];
#pragma unroll
    for (int i = 0; i < in_flight; ++i) x[i] = samples[at + i * step];
#pragma unroll
    for (int i = 0; i < in_flight; ++i) w[i] = weights[at + i * step];
#pragma unroll
    for (int i = 0; i < in_flight; ++i) add_weight(rule, shape, sums, x[i], fixed(w[i]));
  }
  for (; at < n; at += step) add_weight(rule, shape, sums, samples[at], fixed(weights[at]));
  if (shape.copies == 0) return;
  __syncthreads();
  for (uint32_t bin = threadIdx.x; bin < shape.bins; bin += blockDim.x) {
    unsigned long long sum = 0;
    for (uint32_t c = 0; c < shape.copies; ++c) {
      const uint32_t word = bin * shape.copies + ((c + threadIdx.x) & (shape.copies - 1));
      sum += static_cast<unsigned long long>(shared_words()[words + word]) << 32 | shared_words()[word];
    }
    if (sum != 0) atomicAdd(&sums[bin], sum);
  }
}

// The sums stand as integers where the doubles will be.
template <class W> __global__ void to_double_kernel(double* sums, uint32_t bins, Scaling<W> scaling) {
  const uint32_t bin = blockIdx.x * blockDim.x + threadIdx.x;
  if (bin < bins) sums[bin] = scaling.sum(*reinterpret_cast<const long long*>(&sums[bin]));
}

// As many blocks as the device holds at once, and no more than have something to do.
inline constexpr int weight_threads = 512;
inline cudaError_t choose_blocks(const void* kernel, size_t shared, uint64_t useful, int multiprocessors,
                                 unsigned& blocks) {
  int resident = 0;
  const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, weight_threads, shared);
  const uint64_t most = static_cast<uint64_t>(std::max(resident, 1)) * multiprocessors;
  blocks = static_cast<unsigned>(std::min<uint64_t>(most, (useful + weight_threads - 1) / weight_threads));
  return error;
}

// Leaves in `sums` the sums as 64-bit integers, in units of the fixed point.
template <class Rule, class It, class WIt, class Sum>
cudaError_t add_units(const Rule& rule, const Weighing<It, WIt, Sum>& work) {
  DeviceFacts facts;
  cudaError_t error = facts.read();
  if (error == cudaSuccess) error = cudaMemsetAsync(work.sums, 0, work.bins * sizeof(Sum), work.stream);
  if (error != cudaSuccess || work.n == 0) return error;
  WeightedShape shape{work.bins, 32};
  while (shape.copies != 0 && uint64_t{work.bins} * shape.copies * 8 > static_cast<uint64_t>(facts.shared_bytes))
    shape.copies /= 2;
  while (shape.copies > 1 && uint64_t{work.bins} * shape.copies > work.n) shape.copies /= 2;
  const size_t shared = size_t{work.bins} * shape.copies * 8;
  const auto kernel = weighted_kernel<Rule, It, WIt, sample_of<WIt>>;
  const void* symbol = reinterpret_cast<const void*>(kernel);
  if (shared > 48 * 1024) {
    error = cudaFuncSetAttribute(symbol, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared));
    if (error != cudaSuccess) return error;
  }
  unsigned blocks = 0;
  error = choose_blocks(symbol, shared, work.n, facts.multiprocessors, blocks);
  if (error != cudaSuccess) return error;
  kernel<<<blocks, weight_threads, shared, work.stream>>>(rule, shape, work.samples, work.weights, work.n, work.scaling,
                                                          reinterpret_cast<unsigned long long*>(work.sums));
  return cudaPeekAtLastError();
}

// From units to what the caller asked for.
template <class It, class WIt, class Sum> cudaError_t finish_sums(const Weighing<It, WIt, Sum>& work) {
  if constexpr (!Scaling<sample_of<WIt>>::integers) {
    to_double_kernel<<<(work.bins + 255) / 256, 256, 0, work.stream>>>(work.sums, work.bins, work.scaling);
    return cudaPeekAtLastError();
  }
  return cudaSuccess;
}

// Calls action(rule) with the rule for samples of type T, or says that the levels are none.
template <class T, class Level, class Action>
cudaError_t with_even_rule(Level lower, Level upper, uint32_t bins, bool closed, Action action) {
  if constexpr (is_float<T> || is_float<Level>) {
    using F = common_float<T, Level>;
    EvenFloatBins<T, F> rule;
    if (!float_rule(to_float<F>(lower), to_float<F>(upper), bins, closed, rule)) return cudaErrorInvalidValue;
    return action(rule);
  } else {
    if (!(lower < upper)) return cudaErrorInvalidValue;
    return action(any_rule(IntegerRange<T>(lower, upper, closed), bins));
  }
}

template <class T, class Level, class Action>
cudaError_t with_range_rule(const Level* levels, uint32_t bins, bool closed, Action action) {
  if (levels == nullptr) return cudaErrorInvalidValue;
  return action(range_rule<T>(levels, bins, closed));
}

} // namespace tollgate::detail
