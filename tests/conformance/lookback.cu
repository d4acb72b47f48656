// A prefix sum over 10,000 blocks in one pass, by decoupled look-back (Merrill and Garland 2016): each block publishes
// its own sum at once, then one warp looks back over its predecessors until it meets an inclusive prefix.
#include "conformance.h"

constexpr int THREADS = 128, BLOCKS = 10000;

enum : unsigned { Empty = 0, Aggregate = 1, Inclusive = 2 };

// State and value travel in one word, so that whoever sees the state sees the value too.
__device__ unsigned long long pack(unsigned state, unsigned value) {
  return static_cast<unsigned long long>(state) << 32 | value;
}

__device__ unsigned long long load_relaxed(const unsigned long long* address) {
  unsigned long long word;
  asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(word) : "l"(address) : "memory");
  return word;
}

__device__ void store_relaxed(unsigned long long* address, unsigned long long word) {
  asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(address), "l"(word) : "memory");
}

// The sum of all blocks before `block`; called by one whole warp.
__device__ unsigned look_back(const unsigned long long* tiles, int block) {
  unsigned sum = 0;
  for (int end = block; end > 0; end -= 32) {
    const int mine = end - 1 - static_cast<int>(threadIdx.x);
    unsigned long long word;
    do {
      word = mine >= 0 ? load_relaxed(&tiles[mine]) : pack(Inclusive, 0);
    } while (__any_sync(~0u, word >> 32 == Empty));
    const unsigned inclusive = __ballot_sync(~0u, word >> 32 == Inclusive);
    const int last = inclusive ? __ffs(inclusive) - 1 : 31; // the nearest predecessor that knows its whole prefix
    unsigned value = static_cast<int>(threadIdx.x) <= last ? static_cast<unsigned>(word) : 0;
    for (int step = 16; step; step /= 2) value += __shfl_down_sync(~0u, value, step);
    sum += __shfl_sync(~0u, value, 0);
    if (inclusive) break;
  }
  return sum;
}

__global__ void scan(const unsigned* in, unsigned* out, unsigned long long* tiles) {
  __shared__ unsigned partial[THREADS];
  __shared__ unsigned before;
  const int i = blockIdx.x * THREADS + threadIdx.x;
  partial[threadIdx.x] = in[i];
  __syncthreads();
  for (int step = 1; step < THREADS; step *= 2) {
    const unsigned left = threadIdx.x >= step ? partial[threadIdx.x - step] : 0;
    __syncthreads();
    partial[threadIdx.x] += left;
    __syncthreads();
  }
  if (threadIdx.x < 32) {
    const unsigned total = partial[THREADS - 1];
    if (threadIdx.x == 0) store_relaxed(&tiles[blockIdx.x], pack(blockIdx.x ? Aggregate : Inclusive, total));
    const unsigned sum = look_back(tiles, blockIdx.x);
    if (threadIdx.x == 0) {
      if (blockIdx.x) store_relaxed(&tiles[blockIdx.x], pack(Inclusive, sum + total));
      before = sum;
    }
  }
  __syncthreads();
  out[i] = before + partial[threadIdx.x];
}

CASE(look_back_10000, "decoupled look-back over 10,000 blocks") {
  std::vector<unsigned> values(THREADS * BLOCKS);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<unsigned>(i * 2654435761u >> 20);
  Buffer<unsigned> in(values), out(values.size());
  Buffer<unsigned long long> tiles(BLOCKS);
  scan<<<BLOCKS, THREADS>>>(in.device(), out.device(), tiles.device());
  FINISH();
  unsigned sum = 0;
  const std::vector<unsigned>& result = out.fetch();
  for (size_t i = 0; i < values.size(); ++i) {
    sum += values[i];
    EXPECT(result[i] == sum);
  }
  return true;
}
