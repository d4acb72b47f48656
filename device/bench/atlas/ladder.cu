// The chapter's ladder: the same hand-over and the same sum among more and more threads. In nanoseconds for one turn.
#include "atlas.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

namespace atlas {
namespace {

constexpr int rounds = 512;

__device__ unsigned long long nanoseconds() {
  unsigned long long time;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
  return time;
}

enum Rung { shuffle, warp_memory, redux, block_memory, block_atomic, cluster_memory, cluster_atomic };

__device__ unsigned warp_sum(unsigned value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffffu, value, step);
  return value;
}

// One turn: every thread hands its value to the next one and gets that of the one before.
template <Rung rung> __global__ void __launch_bounds__(1024) hand_over(unsigned* sink, long long* cycles) {
  __shared__ volatile unsigned place[1024];
  const unsigned thread = threadIdx.x, next = (thread + 1) % blockDim.x;
  unsigned value = thread;
  const long long start = clock64();
  for (int i = 0; i < rounds; ++i) {
    if constexpr (rung == shuffle) {
      value = __shfl_sync(0xffffffffu, value, thread + 31);
    } else if constexpr (rung == warp_memory) {
      place[next] = value;
      __syncwarp();
      value = place[thread];
      __syncwarp();
    } else if constexpr (rung == block_memory) {
      place[next] = value;
      __syncthreads();
      value = place[thread];
      __syncthreads();
    } else { // to the same thread of the cluster's next block
      const auto cluster = cg::this_cluster();
      unsigned* there = cluster.map_shared_rank(const_cast<unsigned*>(&place[thread]),
                                                (cluster.block_rank() + 1) % cluster.num_blocks());
      *there = value;
      cluster.sync();
      value = place[thread];
      cluster.sync();
    }
  }
  if (thread == 0 && blockIdx.x == 0) {
    *cycles = clock64() - start;
    *sink = value;
  }
}

// One turn: every thread learns the sum of all.
template <Rung rung> __global__ void __launch_bounds__(1024) sum_up(unsigned* sink, long long* cycles) {
  __shared__ unsigned place[32];
  __shared__ unsigned total[2];
  const unsigned thread = threadIdx.x;
  unsigned value = thread;
  if (thread < 2) total[thread] = 0;
  if constexpr (rung == cluster_memory || rung == cluster_atomic) cg::this_cluster().sync();
  __syncthreads();
  const long long start = clock64();
  for (int i = 0; i < rounds; ++i) {
    if constexpr (rung == shuffle) {
      value = warp_sum(value) & 1023;
    } else if constexpr (rung == redux) {
      value = __reduce_add_sync(0xffffffffu, value) & 1023;
    } else {
      const unsigned mine = warp_sum(value);
      if constexpr (rung == block_atomic || rung == cluster_atomic) {
        if (thread % 32 == 0) atomicAdd(&total[i & 1], mine);
        if (thread == 1) total[~i & 1] = 0;
        __syncthreads();
        value = total[i & 1] & 1023;
        __syncthreads();
      } else {
        if (thread % 32 == 0) place[thread / 32] = mine;
        __syncthreads();
        value = warp_sum(thread % 32 < blockDim.x / 32 ? place[thread % 32] : 0) & 1023;
        __syncthreads();
      }
      if constexpr (rung == cluster_memory || rung == cluster_atomic) {
        const auto cluster = cg::this_cluster();
        if (thread == 0) place[0] = value;
        cluster.sync();
        unsigned sum = 0;
        for (unsigned block = 0; block < cluster.num_blocks(); ++block)
          sum += *cluster.map_shared_rank(&place[0], block);
        value = sum & 1023;
        cluster.sync();
      }
    }
  }
  if (thread == 0 && blockIdx.x == 0) {
    *cycles = clock64() - start;
    *sink = value;
  }
}

// The sum of a grid: each block adds once to global memory and waits until all have, by a ticket or by a grid barrier.
__global__ void __launch_bounds__(1024) grid_sum(unsigned* totals, unsigned* arrived, int turns, bool by_ticket) {
  __shared__ unsigned place[32];
  unsigned value = threadIdx.x;
  for (int i = 0; i < turns; ++i) {
    const unsigned mine = warp_sum(value);
    if (threadIdx.x % 32 == 0) place[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x < 32) {
      const unsigned sum = warp_sum(threadIdx.x < blockDim.x / 32 ? place[threadIdx.x] : 0);
      if (threadIdx.x == 0) {
        atomicAdd(&totals[i], sum);
        if (by_ticket) {
          __threadfence();
          atomicAdd(arrived, 1u);
          while (*static_cast<volatile unsigned*>(arrived) < (i + 1) * gridDim.x) {
          }
          __threadfence();
        }
      }
    }
    if (by_ticket)
      __syncthreads();
    else
      cg::this_grid().sync();
    value = (*static_cast<volatile unsigned*>(&totals[i])) & 1023;
  }
}

__global__ void __launch_bounds__(1024) sum_kernel(const unsigned* before, unsigned* total) {
  __shared__ unsigned place[32];
  const unsigned mine = warp_sum((*before + threadIdx.x) & 1023);
  if (threadIdx.x % 32 == 0) place[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x < 32) {
    const unsigned sum = warp_sum(place[threadIdx.x]);
    if (threadIdx.x == 0) atomicAdd(total, sum);
  }
}

unsigned* sink = nullptr;
long long* cycles = nullptr;
double cycles_a_nanosecond = 1;

template <class K> void row(const char* what, const char* how, K kernel, unsigned blocks, unsigned threads) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = blocks;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.attrs = &attribute;
  config.numAttrs = 1;
  std::vector<long long> values(5);
  for (long long& value : values) {
    MUST(cudaLaunchKernelEx(&config, kernel, sink, cycles));
    MUST(cudaMemcpy(&value, cycles, sizeof value, cudaMemcpyDeviceToHost));
  }
  std::sort(values.begin(), values.end());
  const double turn = static_cast<double>(values[2]) / rounds;
  add(Row("ladder")
          .text("task", what)
          .text("by", how)
          .number("threads", blocks * threads)
          .number("cycles", turn)
          .number("nanoseconds", turn / cycles_a_nanosecond));
}

__global__ void spin(long long* out) {
  const unsigned long long start = nanoseconds();
  const long long first = clock64();
  while (nanoseconds() - start < 2000000) {
  }
  out[0] = clock64() - first;
  out[1] = static_cast<long long>(nanoseconds() - start);
}

void grid_rows() {
  constexpr int turns = 256;
  unsigned* totals;
  MUST(cudaMalloc(&totals, (turns + 64) * sizeof(unsigned)));
  for (const bool by_ticket : {true, false}) {
    const double time = milliseconds([&] {
      MUST(cudaMemsetAsync(totals, 0, (turns + 64) * sizeof(unsigned)));
      unsigned* arrived = totals + turns + 32;
      int count = turns;
      bool ticket = by_ticket;
      void* arguments[] = {&totals, &arrived, &count, &ticket};
      MUST(
          cudaLaunchCooperativeKernel(reinterpret_cast<void*>(grid_sum), dim3(132), dim3(1024), arguments, 0, nullptr));
    });
    add(Row("ladder")
            .text("task", "sum")
            .text("by", by_ticket ? "global atomics, fence and ticket" : "global atomics and grid barrier")
            .number("threads", 132 * 1024)
            .number("nanoseconds", time * 1e6 / turns));
  }
  const double time = milliseconds([&] {
    MUST(cudaMemsetAsync(totals, 0, (turns + 64) * sizeof(unsigned)));
    for (int i = 0; i < turns; ++i) sum_kernel<<<132, 1024>>>(totals + i, totals + i + 1);
  });
  add(Row("ladder")
          .text("task", "sum")
          .text("by", "global atomics and a kernel boundary")
          .number("threads", 132 * 1024)
          .number("nanoseconds", time * 1e6 / turns));
  MUST(cudaFree(totals));
}

} // namespace

void measure_ladder() {
  MUST(cudaMalloc(&sink, 64));
  MUST(cudaMalloc(&cycles, 64));
  spin<<<1, 1>>>(cycles);
  long long pair[2];
  MUST(cudaMemcpy(pair, cycles, sizeof pair, cudaMemcpyDeviceToHost));
  cycles_a_nanosecond = static_cast<double>(pair[0]) / pair[1];
  row("hand-over", "shuffle", hand_over<shuffle>, 1, 32);
  row("hand-over", "shared memory in a warp", hand_over<warp_memory>, 1, 32);
  for (const unsigned threads : {64u, 256u, 1024u})
    row("hand-over", "shared memory and barriers", hand_over<block_memory>, 1, threads);
  for (const unsigned blocks : {2u, 4u, 8u})
    row("hand-over", "cluster memory and barriers", hand_over<cluster_memory>, blocks, 1024);
  row("sum", "shuffles", sum_up<shuffle>, 1, 32);
  row("sum", "redux", sum_up<redux>, 1, 32);
  for (const unsigned threads : {64u, 256u, 1024u}) {
    row("sum", "shuffles, shared memory and barriers", sum_up<block_memory>, 1, threads);
    row("sum", "shuffles, shared atomics and barriers", sum_up<block_atomic>, 1, threads);
  }
  for (const unsigned blocks : {2u, 4u, 8u})
    row("sum", "the same, then cluster memory", sum_up<cluster_memory>, blocks, 1024);
  grid_rows();
}

} // namespace atlas
