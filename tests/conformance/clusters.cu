// Thread block clusters and distributed shared memory (sm_90): identity, the cluster's barrier, shared memory of other
// blocks by every kind of access, and the ways to launch.
#include "conformance.h"

#include <cooperative_groups.h>
#include <cstdint>

namespace cg = cooperative_groups;

template <typename... Parameters, typename... Arguments>
static cudaError_t launch(dim3 grid, dim3 block, dim3 cluster, size_t shared, void (*kernel)(Parameters...), Arguments... arguments) {
  cudaLaunchAttribute attribute[1];
  attribute[0].id = cudaLaunchAttributeClusterDimension;
  attribute[0].val.clusterDim.x = cluster.x;
  attribute[0].val.clusterDim.y = cluster.y;
  attribute[0].val.clusterDim.z = cluster.z;
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared;
  config.attrs = attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

__device__ uint32_t special(int which) {
  uint32_t r = 0;
  switch (which) {
  case 0: asm("mov.u32 %0, %%clusterid.x;" : "=r"(r)); break;
  case 1: asm("mov.u32 %0, %%clusterid.y;" : "=r"(r)); break;
  case 2: asm("mov.u32 %0, %%clusterid.z;" : "=r"(r)); break;
  case 3: asm("mov.u32 %0, %%nclusterid.x;" : "=r"(r)); break;
  case 4: asm("mov.u32 %0, %%nclusterid.y;" : "=r"(r)); break;
  case 5: asm("mov.u32 %0, %%nclusterid.z;" : "=r"(r)); break;
  case 6: asm("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(r)); break;
  case 7: asm("mov.u32 %0, %%cluster_ctaid.y;" : "=r"(r)); break;
  case 8: asm("mov.u32 %0, %%cluster_ctaid.z;" : "=r"(r)); break;
  case 9: asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(r)); break;
  case 10: asm("mov.u32 %0, %%cluster_nctaid.y;" : "=r"(r)); break;
  case 11: asm("mov.u32 %0, %%cluster_nctaid.z;" : "=r"(r)); break;
  case 12: asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r)); break;
  case 13: asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(r)); break;
  case 14: asm("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }" : "=r"(r)); break;
  }
  return r;
}

__global__ void identities(uint32_t* out) {
  const uint32_t block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  if (threadIdx.x < 15) out[block * 15 + threadIdx.x] = special(threadIdx.x);
}

static bool identities_hold(const std::vector<uint32_t>& values, dim3 grid, dim3 cluster, bool is_explicit) {
  for (uint32_t z = 0; z < grid.z; ++z)
    for (uint32_t y = 0; y < grid.y; ++y)
      for (uint32_t x = 0; x < grid.x; ++x) {
        const uint32_t* v = &values[15 * (x + grid.x * (y + grid.y * z))];
        const uint32_t inside[3] = {x % cluster.x, y % cluster.y, z % cluster.z};
        const uint32_t expected[15] = {x / cluster.x,           y / cluster.y,           z / cluster.z,
                                       grid.x / cluster.x,      grid.y / cluster.y,      grid.z / cluster.z,
                                       inside[0],               inside[1],               inside[2],
                                       cluster.x,               cluster.y,               cluster.z,
                                       inside[0] + cluster.x * (inside[1] + cluster.y * inside[2]),
                                       cluster.x * cluster.y * cluster.z, is_explicit};
        for (int i = 0; i < 15; ++i)
          if (v[i] != expected[i]) {
            std::printf("block (%u,%u,%u), register %d: %u, not %u\n", x, y, z, i, v[i], expected[i]);
            return false;
          }
      }
  return true;
}

CASE(cluster_identity, "special registers of clusters of 2x1x1, 2x2x2 and none, in 3-D grids") {
  Buffer<uint32_t> first(8 * 3 * 2 * 15), second(4 * 4 * 2 * 15), third(3 * 15);
  CUDA(launch(dim3(8, 3, 2), 32, dim3(2, 1, 1), 0, identities, first.device()));
  CUDA(launch(dim3(4, 4, 2), 32, dim3(2, 2, 2), 0, identities, second.device()));
  identities<<<3, 32>>>(third.device());
  FINISH();
  EXPECT(identities_hold(first.fetch(), dim3(8, 3, 2), dim3(2, 1, 1), true));
  EXPECT(identities_hold(second.fetch(), dim3(4, 4, 2), dim3(2, 2, 2), true));
  EXPECT(identities_hold(third.fetch(), dim3(3, 1, 1), dim3(1, 1, 1), false));
  return true;
}

// Each block hands a row to its right neighbour, 40 times round the cluster of five.
__global__ void __cluster_dims__(5, 1, 1) rotate(int* out) {
  __shared__ int rows[2][64];
  cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank(), size = cluster.num_blocks();
  rows[0][threadIdx.x] = 1000 * blockIdx.x + threadIdx.x;
  cluster.sync();
  for (int round = 0; round < 40; ++round) {
    int* next = cluster.map_shared_rank(&rows[(round + 1) % 2][0], (rank + 1) % size);
    next[63 - threadIdx.x] = rows[round % 2][threadIdx.x] + 1;
    cluster.sync();
  }
  out[blockIdx.x * 64 + threadIdx.x] = rows[0][threadIdx.x];
}

CASE(cluster_rotation, "rows go round clusters of five through remote stores, 40 times; __cluster_dims__") {
  Buffer<int> out(15 * 64);
  rotate<<<15, 64>>>(out.device());
  FINISH();
  const std::vector<int>& values = out.fetch();
  for (int b = 0; b < 15; ++b) // 40 rounds are 8 times round: each row is back, and not turned
    for (int t = 0; t < 64; ++t) EXPECT(values[b * 64 + t] == 1000 * b + t + 40);
  return true;
}

// Arrive, work, wait; some threads leave for good.
__global__ void split_arrival(int* out) {
  __shared__ int word;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) word = 0;
  cluster.sync();
  if (threadIdx.x >= 40 && (threadIdx.x & 1) == 0) return; // exited threads do not hold the others up
  int sum = 0;
  for (int round = 0; round < 10; ++round) {
    if (threadIdx.x == 1) *cluster.map_shared_rank(&word, (cluster.block_rank() + 1) % cluster.num_blocks()) = round + 1;
    asm volatile("barrier.cluster.arrive.release;" ::: "memory");
    sum += round * threadIdx.x;
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
    sum += 1000 * word;
    asm volatile("fence.acq_rel.cluster;" ::: "memory");
    asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
    asm volatile("barrier.cluster.wait;" ::: "memory");
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  cluster.sync();
}

CASE(cluster_arrive_wait, "barrier.cluster: arrive and wait apart, relaxed arrival behind a fence, threads that have left") {
  Buffer<int> out(8 * 96);
  CUDA(launch(8, 96, 4, 0, split_arrival, out.device()));
  FINISH();
  const std::vector<int>& values = out.fetch();
  for (int i = 0; i < 8 * 96; ++i) {
    const int t = i % 96;
    const int expected = t >= 40 && (t & 1) == 0 ? 0 : 45 * t + 55000;
    EXPECT(values[i] == expected);
  }
  return true;
}

// Lanes of a warp arrive in different branches.
__global__ void diverged_arrival(int* out) {
  __shared__ int words[32];
  cg::cluster_group cluster = cg::this_cluster();
  words[threadIdx.x] = cluster.block_rank() * 100 + threadIdx.x;
  if (threadIdx.x % 3 == 0)
    asm volatile("barrier.cluster.arrive;" ::: "memory");
  else if (threadIdx.x % 3 == 1)
    asm volatile("barrier.cluster.arrive.release;" ::: "memory");
  else
    asm volatile("barrier.cluster.arrive;" ::: "memory");
  if (threadIdx.x < 16)
    asm volatile("barrier.cluster.wait;" ::: "memory");
  else
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
  out[blockIdx.x * 32 + threadIdx.x] = *cluster.map_shared_rank(&words[31 - threadIdx.x], cluster.block_rank() ^ 1);
  cluster.sync();
}

CASE(cluster_diverged_arrival, "barrier.cluster without .aligned: lanes arrive and wait in different branches") {
  Buffer<int> out(64);
  CUDA(launch(2, 32, 2, 0, diverged_arrival, out.device()));
  FINISH();
  for (int i = 0; i < 64; ++i) EXPECT(out.fetch()[i] == (i / 32 ^ 1) * 100 + 31 - i % 32);
  return true;
}

// The guide's histogram over distributed shared memory: bins spread over the blocks of a cluster.
__global__ void histogram(const uint32_t* values, int count, uint32_t* bins, int bins_per_block) {
  extern __shared__ uint32_t part[];
  cg::cluster_group cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < bins_per_block; i += blockDim.x) part[i] = 0;
  cluster.sync();
  const int first = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = first; i < count; i += gridDim.x * blockDim.x) {
    const uint32_t bin = values[i];
    atomicAdd(cluster.map_shared_rank(part, bin / bins_per_block) + bin % bins_per_block, 1u);
  }
  cluster.sync();
  for (int i = threadIdx.x; i < bins_per_block; i += blockDim.x)
    atomicAdd(&bins[cluster.block_rank() * bins_per_block + i], part[i]);
}

CASE(cluster_histogram, "a histogram whose bins lie in the shared memory of 4 blocks; also 16 blocks, non-portable") {
  constexpr int count = 20000, bins = 320;
  std::vector<uint32_t> values(count), expected(bins, 0);
  uint32_t random = 1;
  for (uint32_t& value : values) {
    random = random * 1664525u + 1013904223u;
    value = (random >> 8) % bins;
    ++expected[value];
  }
  Buffer<uint32_t> in(values);
  CUDA(cudaFuncSetAttribute(histogram, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  for (const int size : {1, 2, 4, 8, 16}) {
    Buffer<uint32_t> out(bins);
    CUDA(launch(16, 96, size, bins / size * sizeof(uint32_t), histogram, in.device(), count, out.device(), bins / size));
    FINISH();
    EXPECT(out.fetch() == expected);
  }
  return true;
}

// Every kind of address of another block's shared memory.
__global__ void addresses(int* errors) {
  __shared__ uint32_t words[64];
  __shared__ uint64_t pair[8];
  cg::cluster_group cluster = cg::this_cluster();
  const uint32_t rank = cluster.block_rank(), size = cluster.num_blocks(), other = (rank + 1) % size, lane = threadIdx.x;
  words[lane] = rank * 1000 + lane;
  words[lane + 32] = 0;
  if (lane < 8) pair[lane] = 0;
  cluster.sync();
  const auto check = [&](bool holds) {
    if (!holds) atomicAdd(errors, 1);
  };
  const uint32_t own = static_cast<uint32_t>(__cvta_generic_to_shared(&words[lane]));
  uint32_t there = 0, value = 0, of = 0;
  uint64_t generic = 0, back = 0;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(own), "r"(other));
  asm volatile("mapa.u64 %0, %1, %2;" : "=l"(generic) : "l"(&words[lane]), "r"(other));
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(there) : "memory");
  check(value == other * 1000 + lane);
  asm volatile("ld.u32 %0, [%1];" : "=r"(value) : "l"(generic) : "memory");
  check(value == other * 1000 + lane);
  asm volatile("ld.relaxed.cluster.shared::cluster.u32 %0, [%1+4];" : "=r"(value) : "r"(there - 4) : "memory");
  check(value == other * 1000 + lane);
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(own) : "memory"); // its own is in the window, too
  check(value == rank * 1000 + lane);
  asm volatile("cvta.shared::cluster.u64 %0, %1;" : "=l"(back) : "l"(static_cast<uint64_t>(there)));
  check(back == generic);
  asm volatile("cvta.to.shared::cluster.u64 %0, %1;" : "=l"(back) : "l"(generic));
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(static_cast<uint32_t>(back)) : "memory");
  check(value == other * 1000 + lane);
  asm volatile("cvta.to.shared.u64 %0, %1;" : "=l"(back) : "l"(generic)); // as libcu++ does it
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(static_cast<uint32_t>(back)) : "memory");
  check(value == other * 1000 + lane);
  asm volatile("getctarank.u64 %0, %1;" : "=r"(of) : "l"(generic));
  check(of == other);
  asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(of) : "r"(there));
  check(of == other);
  asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(of) : "r"(own));
  check(of == rank);
  uint32_t in_block = 0, in_cluster = 0, in_global = 0, own_in_block = 0;
  asm volatile("{ .reg .pred p; isspacep.shared::cta p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(in_block) : "l"(generic));
  asm volatile("{ .reg .pred p; isspacep.shared::cluster p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(in_cluster) : "l"(generic));
  asm volatile("{ .reg .pred p; isspacep.global p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(in_global) : "l"(generic));
  asm volatile("{ .reg .pred p; isspacep.shared::cta p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(own_in_block) : "l"(&words[lane]));
  check(in_block == 0 && in_cluster == 1 && in_global == 0 && own_in_block == 1);
  asm volatile("{ .reg .pred p; isspacep.shared::cluster p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(in_cluster) : "l"(errors));
  check(in_cluster == 0);
  cluster.sync();
  // Stores of several widths.
  asm volatile("st.shared::cluster.u32 [%0+128], %1;" ::"r"(there), "r"(rank * 77 + lane) : "memory");
  if (lane < 4) {
    const uint32_t here = static_cast<uint32_t>(__cvta_generic_to_shared(&pair[2 * lane]));
    uint32_t to = 0;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(here), "r"(other));
    asm volatile("st.shared::cluster.v2.u64 [%0], {%1, %2};" ::"r"(to), "l"(uint64_t(rank) << 40 | lane), "l"(~uint64_t(lane)) : "memory");
  }
  cluster.sync();
  const uint32_t before = (rank + size - 1) % size;
  check(words[lane + 32] == before * 77 + lane);
  if (lane < 4) check(pair[2 * lane] == (uint64_t(before) << 40 | lane) && pair[2 * lane + 1] == ~uint64_t(lane));
}

CASE(cluster_addresses, "mapa, getctarank, cvta, isspacep, loads and stores of .shared::cluster") {
  Buffer<int> errors(1);
  CUDA(launch(6, 32, 3, 0, addresses, errors.device()));
  FINISH();
  EXPECT(errors.fetch()[0] == 0);
  return true;
}

// All blocks update the words of rank 0, in both kinds of address.
__global__ void remote_atomics(unsigned long long* out) {
  __shared__ uint32_t sum, most, bits, wrap;
  __shared__ int least;
  __shared__ unsigned long long wide, slot;
  __shared__ float real;
  __shared__ uint32_t lock, guarded;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) {
    sum = most = bits = wrap = lock = guarded = 0;
    least = 0;
    wide = slot = 0;
    real = 0;
  }
  cluster.sync();
  const uint32_t me = cluster.block_rank() * blockDim.x + threadIdx.x;
  atomicAdd(cluster.map_shared_rank(&sum, 0), me);
  atomicMax(cluster.map_shared_rank(&most, 0), me);
  atomicMin(cluster.map_shared_rank(&least, 0), -static_cast<int>(me));
  atomicOr(cluster.map_shared_rank(&bits, 0), 1u << (me % 32));
  atomicInc(cluster.map_shared_rank(&wrap, 0), 99u);
  atomicAdd(cluster.map_shared_rank(&wide, 0), 0x100000001ull);
  atomicAdd(cluster.map_shared_rank(&real, 0), 0.5f);
  uint32_t to = 0, old = 0;
  asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(to) : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(&slot))));
  asm volatile("red.relaxed.cluster.shared::cluster.add.u64 [%0], %1;" ::"r"(to), "l"(1ull << (me % 64)) : "memory");
  asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(to) : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(&lock))));
  // A spin lock in another block's shared memory.
  if (threadIdx.x == 0) {
    do {
      asm volatile("atom.acquire.cluster.shared::cluster.cas.b32 %0, [%1], 0, 1;" : "=r"(old) : "r"(to) : "memory");
    } while (old != 0);
    volatile uint32_t* counter = cluster.map_shared_rank(&guarded, 0);
    *counter = *counter + 1;
    asm volatile("atom.release.cluster.shared::cluster.exch.b32 %0, [%1], 0;" : "=r"(old) : "r"(to) : "memory");
  }
  cluster.sync();
  if (me == 0) {
    const unsigned long long values[] = {sum, most, static_cast<unsigned long long>(-least), bits, wrap, wide, slot,
                                         static_cast<unsigned long long>(real), guarded};
    for (int i = 0; i < 9; ++i) out[i] = values[i];
  }
}

CASE(cluster_atomics, "atomics of all kinds on another block's shared memory, and a lock there") {
  Buffer<unsigned long long> out(9);
  CUDA(launch(8, 48, 8, 0, remote_atomics, out.device()));
  FINISH();
  constexpr unsigned long long threads = 8 * 48;
  const std::vector<unsigned long long> expected = {threads * (threads - 1) / 2, threads - 1, threads - 1, 0xffffffffu,
                                                    threads % 100, threads * 0x100000001ull, 0ull - threads / 64, threads / 2, 8};
  for (int i = 0; i < 9; ++i)
    if (out.fetch()[i] != expected[i]) std::printf("value %d: %llu, not %llu\n", i, out.fetch()[i], expected[i]);
  EXPECT(out.fetch() == expected);
  return true;
}

__global__ void __cluster_dims__(2, 1, 1) compiled_pair(int* out) {
  if (threadIdx.x == 0) atomicAdd(out, static_cast<int>(cg::this_cluster().num_blocks()));
}
__global__ void any_cluster(int* out) {
  if (threadIdx.x == 0) atomicAdd(out, static_cast<int>(cg::this_cluster().num_blocks()));
}

CASE(cluster_launches, "what launches with clusters are allowed, what they are told, and occupancy of clusters") {
  Buffer<int> out(1);
  CUDA(launch(8, 32, 8, 0, any_cluster, out.device()));
  compiled_pair<<<4, 32>>>(out.device());
  FINISH();
  EXPECT(out.fetch()[0] == 8 * 8 + 4 * 2);
  cudaFuncAttributes attributes;
  CUDA(cudaFuncGetAttributes(&attributes, compiled_pair));
  EXPECT(attributes.requiredClusterWidth == 2 && attributes.requiredClusterHeight == 1 && attributes.requiredClusterDepth == 1);
  CUDA(cudaFuncGetAttributes(&attributes, any_cluster));
  EXPECT(attributes.requiredClusterWidth == 0 && attributes.nonPortableClusterSizeAllowed == 0);
  // Refused: no multiple, too large without the attribute, too large at all.
  EXPECT(launch(5, 32, 2, 0, any_cluster, out.device()) != cudaSuccess);
  EXPECT(launch(16, 32, 16, 0, any_cluster, out.device()) != cudaSuccess);
  EXPECT(launch(32, 32, 32, 0, any_cluster, out.device()) != cudaSuccess);
  EXPECT(launch(4, 32, 4, 0, compiled_pair, out.device()) != cudaSuccess);
  cudaGetLastError();
  cudaLaunchAttribute attribute[1];
  attribute[0].id = cudaLaunchAttributeClusterDimension;
  attribute[0].val.clusterDim.x = 4;
  attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = 16;
  config.blockDim = 128;
  config.attrs = attribute;
  config.numAttrs = 1;
  int clusters = 0, largest = 0;
  CUDA(cudaOccupancyMaxActiveClusters(&clusters, any_cluster, &config));
  EXPECT(clusters >= 1);
  CUDA(cudaOccupancyMaxPotentialClusterSize(&largest, any_cluster, &config));
  EXPECT(largest == 8);
  CUDA(cudaFuncSetAttribute(any_cluster, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  CUDA(cudaOccupancyMaxPotentialClusterSize(&largest, any_cluster, &config));
  EXPECT(largest == 16);
  CUDA(launch(16, 32, 16, 0, any_cluster, out.device()));
  FINISH();
  EXPECT(out.fetch()[0] == 72 + 256);
  return true;
}

__global__ void group_queries(int* errors) {
  cg::cluster_group cluster = cg::this_cluster();
  const dim3 dim = cluster.dim_blocks(), at = cluster.block_index(), thread = cluster.thread_index(), threads = cluster.dim_threads();
  const bool holds = dim.x == 2 && dim.y == 2 && dim.z == 1 && at.x == blockIdx.x % 2 && at.y == blockIdx.y % 2 && at.z == 0 &&
                     cluster.block_rank() == at.x + 2 * at.y && cluster.num_blocks() == 4 && cluster.num_threads() == 4 * 24 &&
                     cluster.thread_rank() == cluster.block_rank() * 24 + threadIdx.x + 8 * threadIdx.y &&
                     threads.x == 16 && threads.y == 6 && thread.x == at.x * 8 + threadIdx.x && thread.y == at.y * 3 + threadIdx.y;
  __shared__ int word;
  if (!holds || cluster.query_shared_rank(cluster.map_shared_rank(&word, 3)) != 3) atomicAdd(errors, 1);
  cluster.barrier_arrive();
  cluster.barrier_wait();
  auto token = cluster.barrier_arrive();
  cluster.barrier_wait(static_cast<decltype(token)&&>(token));
}

CASE(cluster_group_queries, "cg::this_cluster(): ranks, indices and extents of blocks and threads") {
  Buffer<int> errors(1);
  CUDA(launch(dim3(4, 4, 2), dim3(8, 3), dim3(2, 2, 1), 0, group_queries, errors.device()));
  FINISH();
  EXPECT(errors.fetch()[0] == 0);
  return true;
}

// Many clusters with waits of every block for every other: more than are resident at once.
__global__ void __cluster_dims__(4, 1, 1) many(uint32_t* out) {
  __shared__ uint32_t mine;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) mine = blockIdx.x;
  cluster.sync();
  uint32_t sum = 0;
  for (unsigned rank = 0; rank < 4; ++rank) sum += *cluster.map_shared_rank(&mine, rank);
  cluster.sync();
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

CASE(cluster_many, "3,000 clusters of 4 blocks, which all read each other") {
  Buffer<uint32_t> out(12000);
  many<<<12000, 64>>>(out.device());
  FINISH();
  for (uint32_t b = 0; b < 12000; ++b) EXPECT(out.fetch()[b] == 4 * (b / 4 * 4) + 6);
  return true;
}

// The second kernel may start while the first one runs, and waits for it before it reads.
__global__ void first_kernel(int* data) {
  asm volatile("griddepcontrol.launch_dependents;");
  data[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x * blockDim.x + threadIdx.x;
}
__global__ void second_kernel(const int* data, int* out) {
  asm volatile("griddepcontrol.wait;" ::: "memory");
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = data[gridDim.x * blockDim.x - 1 - i] * 2;
}

CASE(dependent_launch, "programmatic stream serialization: griddepcontrol.launch_dependents and wait") {
  Buffer<int> data(1024), out(1024);
  first_kernel<<<8, 128>>>(data.device());
  cudaLaunchAttribute attribute[1];
  attribute[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute[0].val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = 8;
  config.blockDim = 128;
  config.attrs = attribute;
  config.numAttrs = 1;
  CUDA(cudaLaunchKernelEx(&config, second_kernel, static_cast<const int*>(data.device()), out.device()));
  FINISH();
  for (int i = 0; i < 1024; ++i) EXPECT(out.fetch()[i] == 2 * (1023 - i));
  return true;
}
