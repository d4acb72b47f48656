// The kernel behind weight_bound: the largest absolute value, at the speed of memory.
#pragma once
#include "weights.h"

namespace tollgate::detail {

// NaN is never the larger one.
__device__ inline float larger(float most, float weight) { return fmaxf(most, fabsf(weight)); }
__device__ inline double larger(double most, double weight) { return fmax(most, fabs(weight)); }
__device__ inline float larger(float most, float4 v) {
  return larger(larger(larger(larger(most, v.x), v.y), v.z), v.w);
}
__device__ inline double larger(double most, double2 v) { return larger(larger(most, v.x), v.y); }

template <class W, class It>
__device__ inline W largest_of(W most, It from, uint64_t n, uint64_t thread, uint64_t threads) {
  constexpr int in_flight = 8;
  uint64_t at = thread;
  for (; at + (in_flight - 1) * threads < n; at += in_flight * threads) {
    sample_of<It> v[in_flight];
#pragma unroll
    for (int i = 0; i < in_flight; ++i) v[i] = from[at + i * threads];
#pragma unroll
    for (int i = 0; i < in_flight; ++i) most = larger(most, v[i]);
  }
  for (; at < n; at += threads) most = larger(most, static_cast<sample_of<It>>(from[at]));
  return most;
}

// Weights in memory, 16 bytes at a time; those before and behind one by one.
template <class W>
__device__ inline W largest_in_memory(const W* weights, uint64_t n, uint64_t thread, uint64_t threads) {
  using Vector = std::conditional_t<sizeof(W) == 4, float4, double2>;
  constexpr uint64_t lanes = sizeof(Vector) / sizeof(W);
  const uint64_t past = reinterpret_cast<uintptr_t>(weights) / sizeof(W) % lanes;
  const uint64_t aligned = (lanes - past) % lanes, head = aligned < n ? aligned : n;
  const uint64_t vectors = (n - head) / lanes, done = head + vectors * lanes;
  W most = largest_of(W(0), weights, head, thread, threads);
  most = largest_of(most, reinterpret_cast<const Vector*>(weights + head), vectors, thread, threads);
  return largest_of(most, weights + done, n - done, thread, threads);
}

__device__ inline void store_larger(float* bound, float most) {
  atomicMax(reinterpret_cast<unsigned*>(bound), __float_as_uint(most)); // the bits of positive numbers are in order
}
__device__ inline void store_larger(double* bound, double most) {
  atomicMax(reinterpret_cast<unsigned long long*>(bound), static_cast<unsigned long long>(__double_as_longlong(most)));
}

template <class WIt, class W>
__global__ void __launch_bounds__(weight_threads) bound_kernel(WIt weights, uint64_t n, W* bound) {
  __shared__ W of_warp[weight_threads / 32];
  const uint64_t threads = static_cast<uint64_t>(gridDim.x) * weight_threads;
  const uint64_t thread = static_cast<uint64_t>(blockIdx.x) * weight_threads + threadIdx.x;
  W most;
  if constexpr (std::is_pointer_v<WIt>) {
    most = largest_in_memory<W>(weights, n, thread, threads);
  } else {
    most = largest_of(W(0), weights, n, thread, threads);
  }
#pragma unroll
  for (int lane = 16; lane > 0; lane /= 2) most = larger(most, __shfl_xor_sync(0xffffffffu, most, lane));
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = most;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int warp = 1; warp < weight_threads / 32; ++warp) most = larger(most, of_warp[warp]);
  if (most > 0) store_larger(bound, most < greatest_finite<W> ? most : greatest_finite<W>);
}

template <class WIt, class W> cudaError_t find_bound(WIt weights, uint64_t n, W* bound, cudaStream_t stream) {
  cudaError_t error = cudaMemsetAsync(bound, 0, sizeof(W), stream);
  if (error != cudaSuccess || n == 0) return error;
  DeviceFacts facts;
  error = facts.read();
  if (error != cudaSuccess) return error;
  const auto kernel = bound_kernel<WIt, W>;
  unsigned blocks = 0;
  const uint64_t loads = std::is_pointer_v<WIt> ? (n - 1) / (16 / sizeof(W)) + 1 : n;
  error = choose_blocks(reinterpret_cast<const void*>(kernel), 0, loads, facts.multiprocessors, blocks);
  if (error != cudaSuccess) return error;
  kernel<<<blocks, weight_threads, 0, stream>>>(weights, n, bound);
  return cudaPeekAtLastError();
}

} // namespace tollgate::detail
