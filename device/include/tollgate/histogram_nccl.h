/// \defgroup histogram_nccl histogram_nccl.h
/// Histograms over the GPUs of an NCCL communicator: each rank counts its own samples, and the counts are added up.
///
///     tollgate::histogram_even(comm, samples, n, counts, 256, 0.0f, 1.0f, stream); // every rank gets all counts
///     tollgate::histogram_even_scattered(comm, samples, n, counts, bins, ...);     // every rank gets its share
///     tollgate::weighted_histogram_even(comm, samples, weights, n, total, sums, 256, 0.0f, 1.0f, bound, stream);
///
/// Every rank of the communicator calls it with the same bins, levels and type of counter, and with samples of its own
/// (none is allowed). What is sent is the counts: 4 or 8 bytes a bin, however many samples there are. With millions of
/// bins the second form sends half of that. For the rest the rules of histogram.h hold: results are overwritten,
/// nothing is allocated, no call waits. Several ranks in one thread stand between ncclGroupStart() and ncclGroupEnd(),
/// as with NCCL.
///
/// Weights are added as fixed point and sent as 64-bit integers, 8 bytes a bin. How fine they are depends only on the
/// bound and on `total`, a number of weights that all ranks together do not exceed, the same on all of them: sums then
/// are the same bit for bit whatever the ranks are and however the samples are spread over them, and the same as those
/// of one GPU that has `total` weights. `total` cannot be checked but for n <= total on each rank: where it is too
/// small, sums may wrap. As the integers become doubles after they have been added up, calls with float or double
/// weights must not stand in a group: one thread, or one process, for each rank.
///
/// A rank that gets an error back has sent nothing, and the others wait for it: arguments that differ between ranks
/// must not be wrong on some of them only.
#pragma once
#include "histogram.h"
#include "weighted_histogram.h"

#include <nccl.h>

namespace tollgate {

/// \addtogroup histogram_nccl
/// \{

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

template <class W> constexpr ncclDataType_t nccl_weight = sizeof(W) == 4 ? ncclFloat32 : ncclFloat64;

// add(work) leaves this rank's sums as integers; they become doubles when all ranks' have been added.
template <class It, class WIt, class Sum, class Add>
ncclResult_t weigh_ranks(ncclComm_t comm, Weighing<It, WIt, Sum> work, uint64_t total, Add add) {
  if (!Scaling<sample_of<WIt>>::integers && work.n > total) return ncclInvalidArgument;
  work.scaling.spare = spare_bits(total);
  const cudaError_t error = add(work);
  if (error != cudaSuccess) return nccl_result(error);
  const ncclResult_t result = ncclAllReduce(work.sums, work.sums, work.bins, ncclInt64, ncclSum, comm, work.stream);
  return result == ncclSuccess ? nccl_result(finish_sums(work)) : result;
}

// A bound in memory becomes the largest of all ranks; one given as a number is the same on all ranks already.
template <class It, class WIt, class Sum, class Bound>
ncclResult_t common_bound(ncclComm_t comm, Weighing<It, WIt, Sum>& work, Bound bound) {
  if (!work.good || !work.scaling.take(bound)) return ncclInvalidArgument;
  if constexpr (std::is_pointer_v<Bound>) {
    return ncclAllReduce(bound, bound, 1, nccl_weight<sample_of<WIt>>, ncclMax, comm, work.stream);
  }
  return ncclSuccess;
}

template <class Level, class Bound, class It, class WIt, class Sum>
ncclResult_t weigh_even(ncclComm_t comm, Weighing<It, WIt, Sum> work, uint64_t total, Level lower, Level upper,
                        Bound bound, upper_edge edge) {
  const ncclResult_t result = common_bound(comm, work, bound);
  if (result != ncclSuccess) return result;
  return weigh_ranks(comm, work, total, [&](const auto& mine) {
    return with_even_rule<sample_of<It>>(lower, upper, mine.bins, edge == upper_edge::included,
                                         [&](const auto& rule) { return add_units(rule, mine); });
  });
}

template <class Level, class Bound, class It, class WIt, class Sum>
ncclResult_t weigh_range(ncclComm_t comm, Weighing<It, WIt, Sum> work, uint64_t total, const Level* levels, Bound bound,
                         upper_edge edge) {
  const ncclResult_t result = common_bound(comm, work, bound);
  if (result != ncclSuccess) return result;
  return weigh_ranks(comm, work, total, [&](const auto& mine) {
    return with_range_rule<sample_of<It>>(levels, mine.bins, edge == upper_edge::included,
                                          [&](const auto& rule) { return add_units(rule, mine); });
  });
}

} // namespace detail

/// Every rank gets the counts of the samples of all ranks: bins of equal width over [lower, upper].
/// \param comm the communicator; its GPU is the current device
/// \param samples,n this rank's samples
/// \param counts device memory, `bins` counters
/// \param bins,lower,upper,edge the same on all ranks, as in histogram_even() on one GPU
/// \param stream the stream that counts and sends
/// \return `ncclInvalidArgument` where one GPU gives `cudaErrorInvalidValue`, `ncclUnhandledCudaError` for other errors
/// of CUDA, or what NCCL gave
template <class SampleIterator, class Counter, class Level, class Size>
ncclResult_t histogram_even(ncclComm_t comm, SampleIterator samples, Size n, Counter* counts, int bins, Level lower,
                            Level upper, cudaStream_t stream = nullptr, upper_edge edge = upper_edge::included) {
  const cudaError_t error = histogram_even(samples, n, counts, bins, lower, upper, stream, edge);
  if (error != cudaSuccess) return detail::nccl_result(error);
  return ncclAllReduce(counts, counts, static_cast<size_t>(bins), detail::nccl_type<Counter>(), ncclSum, comm, stream);
}

/// The same with the bins of histogram_range(); `levels` is memory of this rank's GPU.
template <class SampleIterator, class Counter, class Level, class Size>
ncclResult_t histogram_range(ncclComm_t comm, SampleIterator samples, Size n, Counter* counts, int bins,
                             const Level* levels, cudaStream_t stream = nullptr,
                             upper_edge edge = upper_edge::included) {
  const cudaError_t error = histogram_range(samples, n, counts, bins, levels, stream, edge);
  if (error != cudaSuccess) return detail::nccl_result(error);
  return ncclAllReduce(counts, counts, static_cast<size_t>(bins), detail::nccl_type<Counter>(), ncclSum, comm, stream);
}

/// How many bins a rank is given by histogram_even_scattered(): the same for all, the last ones may be beyond `bins`.
inline size_t bins_of_rank(int bins, int ranks) {
  return (static_cast<size_t>(bins) + static_cast<size_t>(ranks) - 1) / static_cast<size_t>(ranks);
}

/// Rank r ends with the totals of the bins from r * share on in counts[r * share], where share = bins_of_rank(bins,
/// ranks); what stands elsewhere has no meaning. `counts` has room for ranks * share counters.
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

/// Every rank gets the sums of the weights of all ranks.
/// \param comm the communicator; its GPU is the current device
/// \param samples,weights,n this rank's samples and their weights
/// \param total no less than the number of weights of all ranks together, the same on all ranks
/// \param sums device memory, `bins` sums
/// \param bins,lower,upper,edge the same on all ranks, as in weighted_histogram_even() on one GPU
/// \param bound the same on all ranks: a number that no weight's absolute value exceeds
/// \param stream the stream that adds and sends
/// \return as in histogram_even() over ranks
template <class SampleIterator, class WeightIterator, class Sum, class Level, class Size>
ncclResult_t weighted_histogram_even(ncclComm_t comm, SampleIterator samples, WeightIterator weights, Size n,
                                     uint64_t total, Sum* sums, int bins, Level lower, Level upper,
                                     detail::sample_of<WeightIterator> bound, cudaStream_t stream = nullptr,
                                     upper_edge edge = upper_edge::included) {
  const detail::Weighing<SampleIterator, WeightIterator, Sum> work(samples, weights, n, sums, bins, stream);
  return detail::weigh_even(comm, work, total, lower, upper, bound, edge);
}

/// The same with the bound of this rank's weights in device memory, as weight_bound() leaves it; afterwards that of all
/// ranks' weights stands there.
template <class SampleIterator, class WeightIterator, class Sum, class Level, class Size>
ncclResult_t weighted_histogram_even(ncclComm_t comm, SampleIterator samples, WeightIterator weights, Size n,
                                     uint64_t total, Sum* sums, int bins, Level lower, Level upper,
                                     detail::sample_of<WeightIterator>* bound, cudaStream_t stream = nullptr,
                                     upper_edge edge = upper_edge::included) {
  const detail::Weighing<SampleIterator, WeightIterator, Sum> work(samples, weights, n, sums, bins, stream);
  return detail::weigh_even(comm, work, total, lower, upper, bound, edge);
}

/// Every rank gets the sums of the weights of all ranks, in the bins of weighted_histogram_range(); `levels` is memory
/// of this rank's GPU. The rest is as in weighted_histogram_even() over ranks.
template <class SampleIterator, class WeightIterator, class Sum, class Level, class Size>
ncclResult_t weighted_histogram_range(ncclComm_t comm, SampleIterator samples, WeightIterator weights, Size n,
                                      uint64_t total, Sum* sums, int bins, const Level* levels,
                                      detail::sample_of<WeightIterator> bound, cudaStream_t stream = nullptr,
                                      upper_edge edge = upper_edge::included) {
  const detail::Weighing<SampleIterator, WeightIterator, Sum> work(samples, weights, n, sums, bins, stream);
  return detail::weigh_range(comm, work, total, levels, bound, edge);
}

/// The same with the bound of this rank's weights in device memory; afterwards that of all ranks' weights stands there.
template <class SampleIterator, class WeightIterator, class Sum, class Level, class Size>
ncclResult_t weighted_histogram_range(ncclComm_t comm, SampleIterator samples, WeightIterator weights, Size n,
                                      uint64_t total, Sum* sums, int bins, const Level* levels,
                                      detail::sample_of<WeightIterator>* bound, cudaStream_t stream = nullptr,
                                      upper_edge edge = upper_edge::included) {
  const detail::Weighing<SampleIterator, WeightIterator, Sum> work(samples, weights, n, sums, bins, stream);
  return detail::weigh_range(comm, work, total, levels, bound, edge);
}

/// \}

} // namespace tollgate
