// Split barriers and asynchronous copies: cuda::barrier (mbarrier), pipelines (cp.async).
#include "conformance.h"

#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda_pipeline.h>

using Barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init

__global__ void arrive_and_wait(int* errors) {
  __shared__ Barrier barrier;
  __shared__ int words[96];
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  for (int round = 0; round < 20; ++round) {
    words[threadIdx.x] = round * 100 + threadIdx.x;
    Barrier::arrival_token token = barrier.arrive();
    barrier.wait(static_cast<Barrier::arrival_token&&>(token));
    if (words[95 - threadIdx.x] != round * 100 + 95 - static_cast<int>(threadIdx.x)) atomicAdd(errors, 1);
    barrier.arrive_and_wait();
  }
}

CASE(split_barrier, "cuda::barrier: arrive, wait, arrive_and_wait over 20 phases") {
  Buffer<int> errors(1);
  arrive_and_wait<<<2, 96>>>(errors.device());
  FINISH();
  EXPECT(errors.fetch()[0] == 0);
  return true;
}

// Threads drop out one after the other; the rest go on with a smaller count.
__global__ void drop(int* errors) {
  __shared__ Barrier barrier;
  __shared__ int arrived[40];
  if (threadIdx.x < 40) arrived[threadIdx.x] = 0;
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  for (int round = 0; round < 40; ++round) {
    atomicAdd(&arrived[round], 1);
    if (static_cast<int>(threadIdx.x) == round) {
      barrier.arrive_and_drop();
      return;
    }
    barrier.arrive_and_wait();
    if (arrived[round] != static_cast<int>(blockDim.x) - round) atomicAdd(errors, 1);
  }
}

CASE(barrier_drop, "cuda::barrier: threads drop out one by one") {
  Buffer<int> errors(1);
  drop<<<1, 64>>>(errors.device());
  FINISH();
  EXPECT(errors.fetch()[0] == 0);
  return true;
}

// Two stages of 16-byte copies in flight, one being used.
__global__ void pipelined(const int4* in, int* out, int tiles) {
  __shared__ int4 stage[2][32];
  const int lane = threadIdx.x;
  __pipeline_memcpy_async(&stage[0][lane], &in[lane], sizeof(int4));
  __pipeline_commit();
  int sum = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    if (tile + 1 < tiles) __pipeline_memcpy_async(&stage[(tile + 1) % 2][lane], &in[(tile + 1) * 32 + lane], sizeof(int4));
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    const int4 other = stage[tile % 2][31 - lane];
    sum += other.x + 2 * other.y + 3 * other.z + 4 * other.w;
    __syncthreads();
  }
  out[lane] = sum;
}

CASE(async_copies, "cp.async in two stages: commit and wait_group") {
  constexpr int tiles = 9;
  std::vector<int4> values(tiles * 32);
  for (int i = 0; i < tiles * 32; ++i) values[i] = {i, i * 2, i * 3, i * 5};
  Buffer<int4> in(values);
  Buffer<int> out(32);
  pipelined<<<1, 32>>>(in.device(), out.device(), tiles);
  FINISH();
  const std::vector<int>& sums = out.fetch();
  for (int lane = 0; lane < 32; ++lane) {
    int expected = 0;
    for (int tile = 0; tile < tiles; ++tile) expected += 34 * (tile * 32 + 31 - lane); // 1 + 2*2 + 3*3 + 4*5
    EXPECT(sums[lane] == expected);
  }
  return true;
}

// A short source zero-fills the rest of the destination.
__global__ void zero_filled(const int* in, int* out) {
  __shared__ alignas(16) int words[4];
  __shared__ Barrier barrier;
  for (int i = 0; i < 4; ++i) words[i] = -1;
  init(&barrier, 1);
  __pipeline_memcpy_async(words, in, 16, 8);
  __pipeline_arrive_on(cuda::device::barrier_native_handle(barrier));
  barrier.arrive_and_wait();
  for (int i = 0; i < 4; ++i) out[i] = words[i];
}

CASE(async_copy_on_barrier, "cp.async with zero fill that arrives on an mbarrier") {
  Buffer<int> in(std::vector<int>{5, 6, 7, 8}), out(4);
  zero_filled<<<1, 1>>>(in.device(), out.device());
  FINISH();
  EXPECT(out.fetch() == (std::vector<int>{5, 6, 0, 0}));
  return true;
}
