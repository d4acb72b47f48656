/// \defgroup block_histogram block_histogram.h
/// A histogram inside a kernel, one for each block, in shared memory.
#pragma once
#include "detail/atomics.h"

namespace tollgate {

/// A histogram inside a kernel, one for each block, in shared memory.
///
///     using Histogram = tollgate::block_histogram<256>;
///     __shared__ Histogram::storage storage;
///     Histogram histogram(storage);            // every thread; clears, with a barrier
///     histogram.count(bin);                    // any threads, any time; a bin outside is not counted
///     histogram.add_to(counts);                // every thread; adds the block's counts to a result in global memory
///
/// Lanes count in `Copies` tables side by side. With 32 no two lanes of a warp ever meet in a bank, whatever the data;
/// by default there are as many as 32 KB hold.
/// \tparam Bins how many bins, numbered from 0
/// \tparam Copies a power of two up to 32, or 0 for a choice by size
/// \ingroup block_histogram
template <int Bins, int Copies = 0> class block_histogram {
  static_assert(Bins > 0, "a histogram has bins");
  static_assert((Copies & (Copies - 1)) == 0 && Copies <= 32, "a power of two up to 32, or 0 for a choice by size");

  static constexpr int choose() {
    int copies = Copies != 0 ? Copies : 32;
    while (Copies == 0 && copies > 1 && Bins * copies > 8192) copies /= 2;
    return copies;
  }

public:
  static constexpr int copies = choose(); ///< how many tables there are
  /// What a block has in shared memory.
  struct storage {
    unsigned words[(Bins + 1) * copies]; ///< the tables, and a place for what is not counted
  };

  /// Clears the tables. Every thread of the block calls it with the same place; it ends with a barrier.
  __device__ explicit block_histogram(storage& place) : words_(place.words) {
    for (int i = thread(); i < Bins * copies; i += threads()) words_[i] = 0;
    __syncthreads();
  }

  /// Counts one in a bin, from any threads; a bin outside is not counted. The block's counts are of 32 bits.
  __device__ void count(unsigned bin) {
    atomicAdd(&words_[(bin < Bins ? bin : Bins) * copies + (thread() & (copies - 1))], 1u);
  }

  /// The block's count of a bin, 0 <= bin < Bins; a barrier must stand between count() and this.
  __device__ unsigned operator[](int bin) const {
    unsigned sum = 0;
    for (int c = 0; c < copies; ++c) sum += words_[bin * copies + ((c + thread()) & (copies - 1))];
    return sum;
  }

  /// Adds the block's counts to `result`, `Bins` counters in global memory, by atomic additions. Every thread of the
  /// block calls it; it begins with a barrier.
  /// \tparam Counter an integer type
  template <class Counter> __device__ void add_to(Counter* result) const {
    __syncthreads();
    for (int bin = thread(); bin < Bins; bin += threads()) {
      const unsigned sum = (*this)[bin];
      if (sum != 0) detail::plain_add(result + bin, static_cast<Counter>(sum));
    }
  }

private:
  __device__ static int thread() {
    return static_cast<int>(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
  }
  __device__ static int threads() { return static_cast<int>(blockDim.x * blockDim.y * blockDim.z); }

  unsigned* words_;
};

} // namespace tollgate
