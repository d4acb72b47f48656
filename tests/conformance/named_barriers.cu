// Named barriers: bar.sync and bar.arrive with a number and a count, used apart by parts of a block.
#include "conformance.h"

__device__ void sync(int barrier, int count) { asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(count) : "memory"); }
__device__ void arrive(int barrier, int count) {
  asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(count) : "memory");
}

// Warp 0 fills two buffers in turn, warp 1 empties them. Barriers 1 and 2: buffer full; 3 and 4: buffer empty.
__global__ void producer_consumer(int rounds, int* out) {
  __shared__ int buffer[2][32];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    for (int round = 0; round < rounds; ++round) {
      if (round >= 2) sync(3 + round % 2, 64); // emptied since its last use
      buffer[round % 2][lane] = round * 100 + lane;
      __threadfence_block();
      arrive(1 + round % 2, 64);
    }
  } else {
    for (int round = 0; round < rounds; ++round) {
      sync(1 + round % 2, 64);
      out[round * 32 + lane] = buffer[round % 2][31 - lane];
      if (round + 2 < rounds) arrive(3 + round % 2, 64);
    }
  }
}

CASE(producer_and_consumer, "producer and consumer warps: bar.arrive and bar.sync with counts") {
  constexpr int rounds = 50;
  Buffer<int> out(rounds * 32);
  producer_consumer<<<1, 64>>>(rounds, out.device());
  FINISH();
  const std::vector<int>& values = out.fetch();
  for (int i = 0; i < rounds * 32; ++i) EXPECT(values[i] == i / 32 * 100 + 31 - i % 32);
  return true;
}

// Sixteen pairs of warps, each on a barrier of its own, each as often as its number says.
__global__ void pairs(int* errors) {
  __shared__ volatile int step[32];
  const int warp = threadIdx.x / 32, pair = warp / 2, other = warp ^ 1;
  if (threadIdx.x % 32 == 0) step[warp] = 0;
  __syncthreads();
  for (int i = 1; i <= 3 * (pair + 1); ++i) {
    if (threadIdx.x % 32 == 0) step[warp] = i;
    sync(pair, 64);
    if (step[other] != i) atomicAdd(errors, 1);
    sync(pair, 64);
  }
}

CASE(sixteen_barriers, "all 16 barriers at once, each used by its own pair of warps") {
  Buffer<int> errors(1);
  pairs<<<1, 1024>>>(errors.device());
  FINISH();
  EXPECT(errors.fetch()[0] == 0);
  return true;
}

__global__ void red_popc(int* out) {
  const int group = threadIdx.x / 64; // two groups of two warps
  int count, all, any;
  asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %3, 0;\n"
               "  barrier.red.popc.u32 %0, %4, 64, p;\n"
               "  barrier.red.and.pred q, %4, 64, p; selp.s32 %1, 1, 0, q;\n"
               "  barrier.red.or.pred q, %4, 64, p; selp.s32 %2, 1, 0, q; }"
               : "=r"(count), "=r"(all), "=r"(any)
               : "r"(static_cast<int>(threadIdx.x % 64 < 40 || group == 1)), "r"(group + 5)
               : "memory");
  out[threadIdx.x] = count * 100 + all * 10 + any;
}

CASE(counted_reductions, "barrier.red over two groups of a block") {
  Buffer<int> out(128);
  red_popc<<<1, 128>>>(out.device());
  FINISH();
  const std::vector<int>& values = out.fetch();
  for (int i = 0; i < 128; ++i) EXPECT(values[i] == (i < 64 ? 4001 : 6411));
  return true;
}
