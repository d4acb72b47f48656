// Barriers by the threads that meet and by how far apart they arrive, and what bank conflicts cost. In cycles of one
// multiprocessor unless a row says nanoseconds.
#include "atlas.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

namespace atlas {
namespace {

constexpr int rounds = 256;

__global__ void __launch_bounds__(1024) block_barrier(long long* cycles) {
  __syncthreads();
  const long long start = clock64();
  for (int i = 0; i < rounds; ++i) __syncthreads();
  if (threadIdx.x == 0) *cycles = clock64() - start;
}

// One warp, each in its turn, comes late.
__global__ void __launch_bounds__(1024) late_barrier(int late, long long* cycles) {
  unsigned turn = 0;
  __syncthreads();
  const long long start = clock64();
  for (int i = 0; i < rounds; ++i) {
    if (threadIdx.x / 32 == turn) {
      const long long until = clock64() + late;
      while (clock64() < until) {
      }
    }
    turn = turn + 1 == blockDim.x / 32 ? 0 : turn + 1;
    __syncthreads();
  }
  if (threadIdx.x == 0) *cycles = clock64() - start;
}

__global__ void warp_barrier(long long* cycles) {
  __syncwarp();
  const long long start = clock64();
  for (int i = 0; i < rounds; ++i) {
    __syncwarp();
    asm volatile("" ::: "memory");
  }
  if (threadIdx.x == 0) *cycles = clock64() - start;
}

__global__ void __launch_bounds__(1024) cluster_barrier(long long* cycles) {
  const auto cluster = cg::this_cluster();
  cluster.sync();
  const long long start = clock64();
  for (int i = 0; i < rounds; ++i) cluster.sync();
  if (blockIdx.x == 0 && threadIdx.x == 0) *cycles = clock64() - start;
}

__global__ void __launch_bounds__(1024) grid_barrier(int times) {
  const auto grid = cg::this_grid();
  for (int i = 0; i < times; ++i) grid.sync();
}

__global__ void nothing() {}

// `degree` lanes of a warp meet in each bank they use, at different words.
template <int kind> __global__ void __launch_bounds__(1024) banks(int degree, long long* cycles, unsigned* sink) {
  extern __shared__ unsigned words[];
  for (unsigned i = threadIdx.x; i < 8192; i += blockDim.x) words[i] = 0;
  const unsigned lane = threadIdx.x % 32;
  const unsigned word = lane / degree + lane % degree * 32;
  unsigned seen = 0;
  __syncthreads();
  const long long start = clock64();
  for (int i = 0; i < rounds; ++i) {
    unsigned* p = &words[(word + i * 32) & 8191];
    if (kind == 0) seen += *static_cast<volatile unsigned*>(p);
    if (kind == 1) *static_cast<volatile unsigned*>(p) = i;
    if (kind == 2) atomicAdd(p, 1u);
    if (kind == 3) atomicAdd(p, lane);
    if (kind == 4) seen += atomicAdd(p, lane);
  }
  __syncthreads();
  if (threadIdx.x == 0) *cycles = clock64() - start;
  if (seen == 0x12345679) *sink = seen;
}

long long* cycles = nullptr;
unsigned* sink = nullptr;

template <class F> double cycles_of(F launch) {
  std::vector<long long> values(5);
  for (long long& value : values) {
    launch();
    MUST(cudaGetLastError());
    MUST(cudaMemcpy(&value, cycles, sizeof value, cudaMemcpyDeviceToHost));
  }
  std::sort(values.begin(), values.end());
  return static_cast<double>(values[2]) / rounds;
}

void bank_rows() {
  const char* const kinds[] = {"load", "store", "add 1, unused", "add n, unused", "add n, used"};
  for (int degree = 1; degree <= 32; degree *= 2) {
    for (int kind = 0; kind < 5; ++kind) {
      const double c = cycles_of([&] {
        switch (kind) {
        case 0: banks<0><<<1, 1024, 32768>>>(degree, cycles, sink); break;
        case 1: banks<1><<<1, 1024, 32768>>>(degree, cycles, sink); break;
        case 2: banks<2><<<1, 1024, 32768>>>(degree, cycles, sink); break;
        case 3: banks<3><<<1, 1024, 32768>>>(degree, cycles, sink); break;
        default: banks<4><<<1, 1024, 32768>>>(degree, cycles, sink); break;
        }
      });
      add(Row("bank conflict").text("access", kinds[kind]).number("degree", degree).number("cycles a warp", c / 32));
    }
  }
}

void cluster_rows() {
  MUST(cudaFuncSetAttribute(cluster_barrier, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  for (unsigned size = 1; size <= 16; size *= 2) {
    for (const unsigned threads : {32u, 256u, 1024u}) {
      cudaLaunchAttribute attribute{};
      attribute.id = cudaLaunchAttributeClusterDimension;
      attribute.val.clusterDim.x = size;
      attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
      cudaLaunchConfig_t config{};
      config.gridDim = dim3(size);
      config.blockDim = dim3(threads);
      config.attrs = &attribute;
      config.numAttrs = 1;
      int fitting = 0;
      if (cudaOccupancyMaxActiveClusters(&fitting, cluster_barrier, &config) != cudaSuccess || fitting == 0) {
        cudaGetLastError();
        continue;
      }
      const double c = cycles_of([&] { MUST(cudaLaunchKernelEx(&config, cluster_barrier, cycles)); });
      add(Row("cluster barrier").number("blocks", size).number("threads a block", threads).number("cycles", c));
    }
  }
}

void grid_rows() {
  for (const int blocks : {1, 2, 4, 8, 16, 33, 66, 132, 264}) {
    for (const int threads : {32, 256, 1024}) {
      int resident = 0;
      MUST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, grid_barrier, threads, 0));
      if (blocks > resident * 132) continue;
      const auto time = [&](int times) {
        void* arguments[] = {&times};
        return milliseconds([&] {
          MUST(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(grid_barrier), dim3(blocks), dim3(threads),
                                           arguments, 0, nullptr));
        });
      };
      time(10);
      add(Row("grid barrier")
              .number("blocks", blocks)
              .number("threads a block", threads)
              .number("nanoseconds", (time(1000) - time(0)) * 1e6 / 1000));
    }
  }
  constexpr int launches = 1000;
  const double many = milliseconds([&] {
    for (int i = 0; i < launches; ++i) nothing<<<132, 1024>>>();
  });
  add(Row("kernel boundary")
          .number("blocks", 132)
          .number("threads a block", 1024)
          .number("nanoseconds", many * 1e6 / launches));
}

} // namespace

void measure_barriers() {
  MUST(cudaMalloc(&cycles, 64));
  MUST(cudaMalloc(&sink, 64));
  const double warp = cycles_of([] { warp_barrier<<<1, 32>>>(cycles); });
  add(Row("warp barrier").number("cycles", warp));
  for (int threads = 32; threads <= 1024; threads += threads < 128 ? 32 : 128) {
    const double c = cycles_of([&] { block_barrier<<<1, threads>>>(cycles); });
    add(Row("block barrier").number("threads", threads).number("late cycles", 0).number("cycles", c));
  }
  for (const int late : {16, 64, 256, 1024, 4096}) {
    for (const int threads : {64, 256, 1024}) {
      const double c = cycles_of([&] { late_barrier<<<1, threads>>>(late, cycles); });
      add(Row("block barrier").number("threads", threads).number("late cycles", late).number("cycles", c));
    }
  }
  bank_rows();
  cluster_rows();
  grid_rows();
}

} // namespace atlas
