// Histograms over the GPUs of an NCCL communicator: each rank counts its own samples, and the counts are added up.
//
//   tollgate::histogram_even(comm, samples, n, counts, 256, 0.0f, 1.0f, stream);   // every rank gets all counts
//   tollgate::histogram_even_scattered(comm, samples, n, counts, bins, ...);       // every rank gets its share of them
//
// Every rank of the communicator calls it with the same bins, levels and type of counter, and with samples of its own
// (none is allowed). What is sent is the counts: 4 or 8 bytes a bin, however many samples there are. With millions of
// bins the second form sends half of that. For the rest the rules of histogram.h hold: results are overwritten, nothing
// is allocated, no call waits. Several ranks in one thread stand between ncclGroupStart() and ncclGroupEnd(), as with
// NCCL.
//
// A rank that gets an error back has sent nothing, and the others wait for it: arguments that differ between ranks must
// not be wrong on some of them only.
#pragma once
#include "histogram.h"

#include <nccl.h>

namespace tollgate {

namespace detail {

template <class Counter> constexpr ncclDataType_t nccl_type() {
  static_assert(std::is_integral_v<Counter> && (sizeof(Counter) == 4 || sizeof(Counter) == 8),
                "counters are 32 or 64-bit integers");
  if (sizeof(Counter) == 4) return std::is_signed_v<Counter> ? ncclInt32 : ncclUint32;
  return std::is_signed_v<Counter> ? ncclInt64 : ncclUint64;
}

inline ncclResult_t nccl_result(cudaError_t error) {
  if (error == cudaSuccess) return ncclSuccess;
  return error == cudaErrorInvalidValue ? ncclInvalidArgument : ncclUnhandledCudaError;
}

} // namespace detail

template <class SampleIterator, class Counter, class Level, class Size>
ncclResult_t histogram_even(ncclComm_t comm, SampleIterator samples, Size n, Counter* counts, int bins, Level lower,
                            Level upper, cudaStream_t stream = nullptr, upper_edge edge = upper_edge::included) {
  const cudaError_t error = histogram_even(samples, n, counts, bins, lower, upper, stream, edge);
  if (error != cudaSuccess) return detail::nccl_result(error);
  return ncclAllReduce(counts, counts, static_cast<size_t>(bins), detail::nccl_type<Counter>(), ncclSum, comm, stream);
}

template <class SampleIterator, class Counter, class Level, class Size>
ncclResult_t histogram_range(ncclComm_t comm, SampleIterator samples, Size n, Counter* counts, int bins,
                             const Level* levels, cudaStream_t stream = nullptr,
                             upper_edge edge = upper_edge::included) {
  const cudaError_t error = histogram_range(samples, n, counts, bins, levels, stream, edge);
  if (error != cudaSuccess) return detail::nccl_result(error);
  return ncclAllReduce(counts, counts, static_cast<size_t>(bins), detail::nccl_type<Counter>(), ncclSum, comm, stream);
}

// How many bins a rank is given by histogram_even_scattered: the same for all, the last ones may be beyond `bins`.
inline size_t bins_of_rank(int bins, int ranks) {
  return (static_cast<size_t>(bins) + static_cast<size_t>(ranks) - 1) / static_cast<size_t>(ranks);
}

// Rank r ends with the totals of the bins from r * share on in counts[r * share], where share = bins_of_rank(bins,
// ranks); what stands elsewhere has no meaning. `counts` has room for ranks * share counters.
template <class SampleIterator, class Counter, class Level, class Size>
ncclResult_t histogram_even_scattered(ncclComm_t comm, SampleIterator samples, Size n, Counter* counts, int bins,
                                      Level lower, Level upper, cudaStream_t stream = nullptr,
                                      upper_edge edge = upper_edge::included) {
  int ranks = 0, rank = 0;
  ncclResult_t result = ncclCommCount(comm, &ranks);
  if (result == ncclSuccess) result = ncclCommUserRank(comm, &rank);
  if (result != ncclSuccess) return result;
  cudaError_t error = histogram_even(samples, n, counts, bins, lower, upper, stream, edge);
  if (error != cudaSuccess) return detail::nccl_result(error);
  const size_t share = bins_of_rank(bins, ranks), unused = share * ranks - bins;
  if (unused != 0) error = cudaMemsetAsync(counts + bins, 0, unused * sizeof(Counter), stream);
  if (error != cudaSuccess) return detail::nccl_result(error);
  return ncclReduceScatter(counts, counts + rank * share, share, detail::nccl_type<Counter>(), ncclSum, comm, stream);
}

} // namespace tollgate
