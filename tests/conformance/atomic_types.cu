// Atomics on every type, in global and shared memory, with scopes, and through cuda::atomic_ref.
#include "conformance.h"

#include <cuda/atomic>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

constexpr int THREADS = 128, BLOCKS = 2; // 256 additions of 1 stay exact in bfloat16

template <typename T> __global__ void add_everywhere(T* global, T* per_block, T one) {
  __shared__ T shared;
  if (threadIdx.x == 0) shared = *global; // zero, in every type
  __syncthreads();
  atomicAdd(&shared, one);
  __syncthreads();
  if (threadIdx.x == 0) per_block[blockIdx.x] = shared;
  (void)global;
}

template <typename T> __global__ void add_global(T* global, T one) { atomicAdd(global, one); }

template <typename T> static bool adds_hold(T one, T block_sum, T grid_sum) {
  Buffer<T> zero(1), global(1), per_block(BLOCKS);
  add_everywhere<<<BLOCKS, THREADS>>>(zero.device(), per_block.device(), one);
  add_global<<<BLOCKS, THREADS>>>(global.device(), one);
  FINISH();
  const auto same = [](const T& a, const T& b) { return std::memcmp(&a, &b, sizeof(T)) == 0; };
  EXPECT(same(global.fetch()[0], grid_sum));
  for (int block = 0; block < BLOCKS; ++block) EXPECT(same(per_block.fetch()[block], block_sum));
  return true;
}

CASE(add_integers, "atomicAdd on int, unsigned, unsigned long long") {
  return adds_hold<int>(-3, -3 * THREADS, -6 * THREADS) && adds_hold<unsigned>(7, 7 * THREADS, 14 * THREADS) &&
         adds_hold<unsigned long long>(1ull << 40, (1ull << 40) * THREADS, (1ull << 41) * THREADS);
}

CASE(add_floats, "atomicAdd on float and double") {
  return adds_hold<float>(0.25f, 32.0f, 64.0f) && adds_hold<double>(0.125, 16.0, 32.0);
}

CASE(add_halves, "atomicAdd on half, half2, bfloat16, bfloat162") {
  return adds_hold(__float2half(1), __float2half(128), __float2half(256)) &&
         adds_hold(__floats2half2_rn(1, 2), __floats2half2_rn(128, 256), __floats2half2_rn(256, 512)) &&
         adds_hold(__float2bfloat16(1), __float2bfloat16(128), __float2bfloat16(256)) &&
         adds_hold(__floats2bfloat162_rn(1, 0.5f), __floats2bfloat162_rn(128, 64), __floats2bfloat162_rn(256, 128));
}

// A compare-and-swap loop that adds 3, once in shared and once in global memory.
template <typename T> __device__ void cas_add(T* word) {
  T seen = *static_cast<volatile T*>(word), assumed;
  do {
    assumed = seen;
    seen = atomicCAS(word, assumed, static_cast<T>(assumed + 3));
  } while (seen != assumed);
}

template <typename T> __global__ void cas_everywhere(T* global, T* per_block) {
  __shared__ T shared[2];
  if (threadIdx.x < 2) shared[threadIdx.x] = 0;
  __syncthreads();
  cas_add(&shared[threadIdx.x % 2]); // two neighbours in one word, when T is short
  cas_add(&global[threadIdx.x % 2]);
  __syncthreads();
  if (threadIdx.x < 2) per_block[blockIdx.x * 2 + threadIdx.x] = shared[threadIdx.x];
}

template <typename T> static bool cas_holds() {
  Buffer<T> global(2), per_block(2 * BLOCKS);
  cas_everywhere<T><<<BLOCKS, THREADS>>>(global.device(), per_block.device());
  FINISH();
  EXPECT(all_equal(global.fetch(), static_cast<T>(3 * THREADS * BLOCKS / 2)));
  EXPECT(all_equal(per_block.fetch(), static_cast<T>(3 * THREADS / 2)));
  return true;
}

CASE(compare_and_swap, "atomicCAS on 16, 32 and 64 bits") {
  return cas_holds<unsigned short>() && cas_holds<int>() && cas_holds<unsigned>() && cas_holds<unsigned long long>();
}

struct Extremes {
  int min, max;
  unsigned unsigned_min, unsigned_max;
  long long wide_min, wide_max;
  unsigned long long wide_and, wide_or, wide_xor, wide_exchange;
  float exchange;
  int scoped;
  unsigned inc, dec;
};

__global__ void extremes(Extremes* e) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  atomicMin(&e->min, 50 - id);
  atomicMax(&e->max, id - 50);
  atomicMin(&e->unsigned_min, 0x80000000u + id);
  atomicMax(&e->unsigned_max, 0x80000000u + id);
  atomicMin(&e->wide_min, -(static_cast<long long>(id) << 36));
  atomicMax(&e->wide_max, static_cast<long long>(id) << 36);
  atomicAnd(&e->wide_and, ~(1ull << id % 64));
  atomicOr(&e->wide_or, 1ull << id % 60);
  atomicXor(&e->wide_xor, static_cast<unsigned long long>(id) << 32);
  atomicExch(&e->wide_exchange, 0x1234567812345678ull);
  atomicExch(&e->exchange, 2.5f);
  atomicAdd_system(&e->scoped, 1);
  if (blockIdx.x == 0) atomicSub_block(&e->scoped, 1);
  atomicInc(&e->inc, 6);
  atomicDec(&e->dec, 6);
}

CASE(other_operations, "min, max, and, or, xor, exch, inc, dec on 32 and 64 bits, and scopes") {
  Extremes start{};
  start.unsigned_min = 0xffffffffu;
  start.wide_and = ~0ull;
  Buffer<Extremes> e(std::vector<Extremes>{start});
  extremes<<<BLOCKS, THREADS>>>(e.device());
  FINISH();
  const Extremes& got = e.fetch()[0];
  constexpr int N = BLOCKS * THREADS;
  EXPECT(got.min == 50 - (N - 1) && got.max == N - 1 - 50);
  EXPECT(got.unsigned_min == 0x80000000u && got.unsigned_max == 0x80000000u + N - 1);
  EXPECT(got.wide_min == -(static_cast<long long>(N - 1) << 36) && got.wide_max == static_cast<long long>(N - 1) << 36);
  EXPECT(got.wide_and == 0 && got.wide_or == (1ull << 60) - 1 && got.wide_xor == 0);
  EXPECT(got.wide_exchange == 0x1234567812345678ull && got.exchange == 2.5f);
  EXPECT(got.scoped == N - THREADS);
  EXPECT(got.inc == N % 7 && got.dec == (7 - N % 7) % 7);
  return true;
}

__global__ void references(int* words, float* real) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  cuda::atomic_ref<int, cuda::thread_scope_device> sum(words[0]), largest(words[1]), swapped(words[2]);
  sum.fetch_add(id, cuda::memory_order_relaxed);
  largest.fetch_max(id, cuda::memory_order_acq_rel);
  int expected = swapped.load(cuda::memory_order_acquire);
  while (!swapped.compare_exchange_weak(expected, expected + 2, cuda::memory_order_release, cuda::memory_order_relaxed)) {
  }
  cuda::atomic_ref<float, cuda::thread_scope_system>(*real).fetch_add(0.5f);
}

CASE(atomic_references, "cuda::atomic_ref: fetch_add, fetch_max, compare_exchange, orders and scopes") {
  Buffer<int> words(3);
  Buffer<float> real(1);
  references<<<BLOCKS, THREADS>>>(words.device(), real.device());
  FINISH();
  constexpr int N = BLOCKS * THREADS;
  EXPECT(words.fetch() == (std::vector<int>{N * (N - 1) / 2, N - 1, 2 * N}));
  EXPECT(real.fetch()[0] == 0.5f * N);
  return true;
}

#if defined(CONFORMANCE_SM90)
__global__ void wide(float2* pair, float4* four, ulonglong2* big) {
  atomicAdd(pair, make_float2(1, 2));
  atomicAdd(four, make_float4(1, 2, 3, 4));
  ulonglong2 seen = make_ulonglong2(0, 0), assumed;
  do {
    assumed = seen;
    seen = atomicCAS(big, assumed, make_ulonglong2(assumed.x + 1, assumed.y + 3));
  } while (seen.x != assumed.x || seen.y != assumed.y);
}

CASE(wide_atomics, "atomicAdd on float2 and float4, atomicCAS on 128 bits") {
  Buffer<float2> pair(1);
  Buffer<float4> four(1);
  Buffer<ulonglong2> big(1);
  wide<<<BLOCKS, THREADS>>>(pair.device(), four.device(), big.device());
  FINISH();
  constexpr int N = BLOCKS * THREADS;
  const float2 p = pair.fetch()[0];
  const float4 f = four.fetch()[0];
  const ulonglong2 b = big.fetch()[0];
  EXPECT(p.x == N && p.y == 2 * N);
  EXPECT(f.x == N && f.y == 2 * N && f.z == 3 * N && f.w == 4 * N);
  EXPECT(b.x == N && b.y == 3ull * N);
  return true;
}
#endif
