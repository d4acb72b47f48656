// Asynchronous copies and updates between the blocks of a cluster, and between global and shared memory (sm_90): remote
// mbarriers, st.async, red.async, cp.async.bulk, cp.reduce.async.bulk, cuda::memcpy_async.
#include "conformance.h"

#include <cooperative_groups.h>
#include <cstdint>
#include <cuda/barrier>
#include <cuda/ptx>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

#pragma nv_diag_suppress static_var_with_dynamic_init

__device__ uint32_t address_of(const void* shared) { return static_cast<uint32_t>(__cvta_generic_to_shared(shared)); }
__device__ uint32_t map(uint32_t address, uint32_t rank) {
  uint32_t out;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(out) : "r"(address), "r"(rank));
  return out;
}
__device__ void init_barrier(uint64_t* barrier, uint32_t count) {
  ptx::mbarrier_init(barrier, count);
  ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
}
__device__ void wait_parity(uint64_t* barrier, uint32_t parity) {
  uint32_t done = 0;
  while (done == 0)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(address_of(barrier)), "r"(parity)
                 : "memory");
}

// Block 0 fills block 1's buffer; each tells the other through an mbarrier in its shared memory.
__global__ void __cluster_dims__(2, 1, 1) hand_over(int* errors) {
  __shared__ int buffer[32];
  __shared__ uint64_t full, empty; // full: in the consumer; empty: in the producer
  cg::cluster_group cluster = cg::this_cluster();
  const uint32_t rank = cluster.block_rank();
  if (threadIdx.x == 0) {
    init_barrier(&full, 32);
    init_barrier(&empty, 32);
  }
  cluster.sync();
  for (int round = 0; round < 25; ++round) {
    const uint32_t parity = round & 1;
    if (rank == 0) {
      if (round != 0) wait_parity(&empty, parity ^ 1);
      *cluster.map_shared_rank(&buffer[threadIdx.x], 1) = round * 100 + threadIdx.x;
      asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(map(address_of(&full), 1)) : "memory");
    } else {
      wait_parity(&full, parity);
      if (buffer[31 - threadIdx.x] != round * 100 + 31 - static_cast<int>(threadIdx.x)) atomicAdd(errors, 1);
      ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, cluster.map_shared_rank(&empty, 0));
    }
  }
  cluster.sync();
}

CASE(cluster_mbarriers, "mbarriers of other blocks: arrive there, wait here, 25 rounds of producer and consumer") {
  Buffer<int> errors(1);
  hand_over<<<6, 32>>>(errors.device());
  FINISH();
  EXPECT(errors.fetch()[0] == 0);
  return true;
}

// Each block sends its words to the next one; the bytes complete a transaction there.
__global__ void send(uint32_t* out) {
  __shared__ alignas(16) uint32_t words[32];
  __shared__ alignas(16) uint64_t pairs[64];
  __shared__ alignas(16) uint32_t quads[128];
  __shared__ uint64_t barrier;
  cg::cluster_group cluster = cg::this_cluster();
  const uint32_t rank = cluster.block_rank(), next = (rank + 1) % cluster.num_blocks(), lane = threadIdx.x;
  if (lane == 0) {
    init_barrier(&barrier, 1);
    asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cta.b64 _, [%0], %1;" ::"r"(address_of(&barrier)), "r"(32 * 36)
                 : "memory");
  }
  cluster.sync();
  uint64_t* there = cluster.map_shared_rank(&barrier, next);
  ptx::st_async(cluster.map_shared_rank(&words[lane], next), rank * 1000 + lane, there);
  const uint64_t two[2] = {uint64_t(rank) << 32 | lane, ~uint64_t(lane)};
  ptx::st_async(cluster.map_shared_rank(&pairs[2 * lane], next), two, there);
  const uint32_t four[4] = {lane, lane + 1, rank, 7};
  ptx::st_async(cluster.map_shared_rank(&quads[4 * lane], next), four, there);
  wait_parity(&barrier, 0);
  const uint32_t before = (rank + cluster.num_blocks() - 1) % cluster.num_blocks();
  bool holds = words[31 - lane] == before * 1000 + 31 - lane;
  holds = holds && pairs[2 * lane] == (uint64_t(before) << 32 | lane) && pairs[2 * lane + 1] == ~uint64_t(lane);
  holds = holds && quads[4 * lane] == lane && quads[4 * lane + 1] == lane + 1 && quads[4 * lane + 2] == before && quads[4 * lane + 3] == 7;
  out[blockIdx.x * 32 + lane] = holds;
  cluster.sync();
}

template <typename... Parameters, typename... Arguments>
static cudaError_t launch(dim3 grid, dim3 block, unsigned cluster, void (*kernel)(Parameters...), Arguments... arguments) {
  cudaLaunchAttribute attribute[1];
  attribute[0].id = cudaLaunchAttributeClusterDimension;
  attribute[0].val.clusterDim.x = cluster;
  attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.attrs = attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

CASE(async_stores, "st.async of 4 to 16 bytes to the next block, counted by its mbarrier") {
  Buffer<uint32_t> out(8 * 32);
  CUDA(launch(8, 32, 4, send, out.device()));
  FINISH();
  EXPECT(all_equal(out.fetch(), 1u));
  return true;
}

// All blocks update the words of rank 0.
__global__ void update(uint32_t* out) {
  __shared__ uint32_t words[8];
  __shared__ uint64_t wide;
  __shared__ uint64_t barrier;
  cg::cluster_group cluster = cg::this_cluster();
  const uint32_t rank = cluster.block_rank(), threads = cluster.num_threads(), me = cluster.thread_rank();
  if (threadIdx.x == 0) {
    const uint32_t start[8] = {0, 0, 1000, 0, ~0u, 0, 0, 5};
    for (int i = 0; i < 8; ++i) words[i] = start[i];
    wide = 0;
    init_barrier(&barrier, 1);
    if (rank == 0)
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &barrier, threads * 40);
  }
  cluster.sync();
  uint64_t* done = cluster.map_shared_rank(&barrier, 0);
  const auto word = [&](int i) { return cluster.map_shared_rank(&words[i], 0); };
  ptx::red_async(ptx::op_add, word(0), me, done);
  ptx::red_async(ptx::op_max, word(1), me, done);
  ptx::red_async(ptx::op_min, reinterpret_cast<int32_t*>(word(2)), -static_cast<int32_t>(me), done);
  ptx::red_async(ptx::op_or_op, word(3), 1u << (me % 32), done);
  ptx::red_async(ptx::op_and_op, word(4), ~(1u << (me % 7)), done);
  ptx::red_async(ptx::op_xor_op, word(5), 3u << (me % 8), done);
  ptx::red_async(ptx::op_inc, word(6), 49u, done);
  ptx::red_async(ptx::op_dec, word(7), 9u, done);
  ptx::red_async(ptx::op_add, cluster.map_shared_rank(&wide, 0), uint64_t(me) << 32 | 1, done);
  if (rank == 0) {
    wait_parity(&barrier, 0);
    if (threadIdx.x < 8) out[threadIdx.x] = words[threadIdx.x];
    if (threadIdx.x == 8) out[8] = static_cast<uint32_t>(wide), out[9] = static_cast<uint32_t>(wide >> 32);
  }
  cluster.sync();
}

CASE(async_updates, "red.async of every operation, counted by the mbarrier of rank 0") {
  Buffer<uint32_t> out(10);
  CUDA(launch(4, 64, 4, update, out.device()));
  FINISH();
  constexpr uint32_t n = 256;
  uint32_t bits = 0, wrapped = 5;
  for (uint32_t i = 0; i < n; ++i) {
    bits ^= 3u << (i % 8);
    wrapped = wrapped == 0 || wrapped > 9 ? 9 : wrapped - 1;
  }
  const std::vector<uint32_t> expected = {n * (n - 1) / 2, n - 1, 1u - n, ~0u, ~0x7fu, bits, n % 50, wrapped, n, n * (n - 1) / 2};
  for (int i = 0; i < 10; ++i)
    if (out.fetch()[i] != expected[i]) std::printf("value %d: %x, not %x\n", i, out.fetch()[i], expected[i]);
  EXPECT(out.fetch() == expected);
  return true;
}

// Global to shared (both names of the destination), shared to the next block's shared, shared to global.
__global__ void __cluster_dims__(2, 1, 1) bulk_round(const uint32_t* in, uint32_t* out) {
  __shared__ alignas(128) uint32_t first[256], second[256], third[256];
  __shared__ uint64_t arrived, passed;
  cg::cluster_group cluster = cg::this_cluster();
  const uint32_t other = cluster.block_rank() ^ 1, t = threadIdx.x;
  if (t == 0) {
    init_barrier(&arrived, 1);
    init_barrier(&passed, 1);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &passed, sizeof third);
  }
  cluster.sync();
  if (t == 0) {
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], 1024;" ::"l"(__cvta_generic_to_global(in)) : "memory");
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &arrived, 2048);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, first, in + blockIdx.x * 512, 1024, &arrived);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, second, in + blockIdx.x * 512 + 256, 1024, &arrived);
  }
  wait_parity(&arrived, 0);
  first[t] += second[255 - t];
  ptx::fence_proxy_async(ptx::space_shared); // what threads wrote, before copies read it
  __syncthreads();
  if (t == 0)
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, cluster.map_shared_rank(third, other), first, 1024,
                       cluster.map_shared_rank(&passed, other));
  wait_parity(&passed, 0);
  second[t] = third[t] * 3;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (t == 0) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + blockIdx.x * 256, second, 1024);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{});
  }
  cluster.sync();
}

CASE(bulk_copies, "cp.async.bulk: global to shared, to the other block's shared, to global") {
  std::vector<uint32_t> values(4 * 512);
  for (size_t i = 0; i < values.size(); ++i) values[i] = i * 2654435761u;
  Buffer<uint32_t> in(values), out(4 * 256);
  bulk_round<<<4, 256>>>(in.device(), out.device());
  FINISH();
  for (int b = 0; b < 4; ++b)
    for (int t = 0; t < 256; ++t)
      EXPECT(out.fetch()[b * 256 + t] == 3 * (values[(b ^ 1) * 512 + t] + values[(b ^ 1) * 512 + 256 + 255 - t]));
  return true;
}

// One block reads, three of four receive, and their own mbarriers count it.
__global__ void spread(const uint32_t* in, uint32_t* out) {
  __shared__ alignas(128) uint32_t part[64];
  __shared__ uint64_t barrier;
  cg::cluster_group cluster = cg::this_cluster();
  const uint32_t rank = cluster.block_rank();
  part[threadIdx.x] = 5;
  if (threadIdx.x == 0) {
    init_barrier(&barrier, 1);
    if (rank != 2)
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &barrier, sizeof part);
  }
  ptx::fence_proxy_async();
  cluster.sync();
  if (rank == 1 && threadIdx.x == 0)
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 256, [%2], %3;" ::"r"(
                     address_of(part)),
                 "l"(__cvta_generic_to_global(in)), "r"(address_of(&barrier)), "h"(static_cast<uint16_t>(0b1011))
                 : "memory");
  if (rank != 2) wait_parity(&barrier, 0);
  out[blockIdx.x * 64 + threadIdx.x] = part[threadIdx.x];
  cluster.sync();
}

CASE(bulk_multicast, "cp.async.bulk.multicast::cluster to three of four blocks") {
  std::vector<uint32_t> values(64);
  for (int i = 0; i < 64; ++i) values[i] = 100 + i;
  Buffer<uint32_t> in(values), out(4 * 64);
  CUDA(launch(4, 64, 4, spread, in.device(), out.device()));
  FINISH();
  for (int i = 0; i < 256; ++i) EXPECT(out.fetch()[i] == (i / 64 == 2 ? 5u : 100u + i % 64));
  return true;
}

// Both blocks add 64 words to rank 0's, then the sums to global memory in several types.
__global__ void __cluster_dims__(2, 1, 1) bulk_reductions(uint32_t* words, float* reals, __half* halves, long long* wide) {
  __shared__ alignas(128) uint32_t own[64], sum[64];
  __shared__ alignas(128) float real[64];
  __shared__ alignas(128) __half half[64];
  __shared__ alignas(128) long long big[64];
  __shared__ uint64_t barrier;
  cg::cluster_group cluster = cg::this_cluster();
  const uint32_t rank = cluster.block_rank(), t = threadIdx.x;
  own[t] = (rank + 1) * (t + 1);
  sum[t] = 1000;
  real[t] = 0.25f * t;
  half[t] = __float2half(static_cast<float>(t));
  big[t] = rank == 0 ? static_cast<long long>(t) - 32 : 5;
  if (t == 0) {
    init_barrier(&barrier, 1);
    if (rank == 0)
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &barrier, 2 * sizeof sum);
  }
  ptx::fence_proxy_async();
  cluster.sync();
  if (t == 0)
    ptx::cp_reduce_async_bulk(ptx::space_cluster, ptx::space_shared, ptx::op_add, cluster.map_shared_rank(sum, 0), own,
                              sizeof sum, cluster.map_shared_rank(&barrier, 0));
  if (rank == 0) {
    wait_parity(&barrier, 0);
    ptx::fence_proxy_async();
    __syncthreads();
  }
  if (t == 0) {
    if (rank == 0) ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, words, sum, sizeof sum);
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_or_op, words + 64, own, sizeof own);
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, reals, real, sizeof real);
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, halves, half, sizeof half);
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_min, reinterpret_cast<int64_t*>(wide),
                              reinterpret_cast<const int64_t*>(big), sizeof big);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{});
  }
  cluster.sync();
}

CASE(bulk_reduce, "cp.reduce.async.bulk to another block's shared memory and to global: u32, f32, f16, s64") {
  std::vector<uint32_t> start(128, 0);
  for (int i = 0; i < 64; ++i) start[i] = 7;
  Buffer<uint32_t> words(start);
  Buffer<float> reals(64);
  Buffer<__half> halves(64);
  Buffer<long long> wide(64);
  bulk_reductions<<<2, 64>>>(words.device(), reals.device(), halves.device(), wide.device());
  FINISH();
  for (int t = 0; t < 64; ++t) {
    EXPECT(words.fetch()[t] == 1007u + 3 * (t + 1));
    EXPECT(words.fetch()[64 + t] == static_cast<uint32_t>((t + 1) | 2 * (t + 1)));
    EXPECT(reals.fetch()[t] == 0.5f * t);
    EXPECT(__half2float(halves.fetch()[t]) == 2.0f * t);
    EXPECT(wide.fetch()[t] == (t < 32 ? t - 32 : 0));
  }
  return true;
}

using Barrier = cuda::barrier<cuda::thread_scope_block>;

// The C++ ways to the same instructions.
__global__ void library_copies(const int* in, int* out) {
  __shared__ alignas(16) int rows[2][128];
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) {
    init(&barrier, blockDim.x);
    cuda::device::experimental::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  Barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cuda::device::memcpy_async_tx(rows[0], in + blockIdx.x * 256, cuda::aligned_size_t<16>(sizeof rows[0]), barrier);
    token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof rows[0]);
  } else {
    token = barrier.arrive();
  }
  barrier.wait(static_cast<Barrier::arrival_token&&>(token));
  cuda::memcpy_async(cg::this_thread_block(), rows[1], in + blockIdx.x * 256 + 128, cuda::aligned_size_t<16>(sizeof rows[1]), barrier);
  barrier.arrive_and_wait();
  out[blockIdx.x * 128 + threadIdx.x] = rows[0][127 - threadIdx.x] + 10 * rows[1][threadIdx.x];
}

CASE(library_copies_async, "cuda::device::memcpy_async_tx, barrier_arrive_tx, cuda::memcpy_async on a cuda::barrier") {
  std::vector<int> values(3 * 256);
  for (int i = 0; i < 3 * 256; ++i) values[i] = i * 7 % 1013;
  Buffer<int> in(values), out(3 * 128);
  library_copies<<<3, 128>>>(in.device(), out.device());
  FINISH();
  for (int b = 0; b < 3; ++b)
    for (int t = 0; t < 128; ++t)
      EXPECT(out.fetch()[b * 128 + t] == values[b * 256 + 127 - t] + 10 * values[b * 256 + 128 + t]);
  return true;
}
