// Warp operations: shuffles, votes, matches and reductions, with full and partial masks and in divergent code.
// Each thread counts what it finds wrong.
#include "conformance.h"

constexpr unsigned ALL = 0xffffffffu;

#define WRONG_IF(condition)                                                                                            \
  do {                                                                                                                 \
    if (condition) atomicAdd(errors, 1);                                                                               \
  } while (0)

__global__ void shuffles(int* errors) {
  const int lane = threadIdx.x;
  WRONG_IF(__shfl_sync(ALL, lane * 3, 5) != 15);
  WRONG_IF(__shfl_sync(ALL, lane * 3, lane + 1) != (lane + 1) % 32 * 3);          // the source wraps
  WRONG_IF(__shfl_sync(ALL, lane, 2, 8) != lane / 8 * 8 + 2);                     // within segments of 8
  WRONG_IF(__shfl_up_sync(ALL, lane, 3) != (lane < 3 ? lane : lane - 3));         // out of range: own value
  WRONG_IF(__shfl_up_sync(ALL, lane, 1, 4) != (lane % 4 < 1 ? lane : lane - 1));
  WRONG_IF(__shfl_down_sync(ALL, lane, 7) != (lane + 7 > 31 ? lane : lane + 7));
  WRONG_IF(__shfl_down_sync(ALL, lane, 2, 16) != (lane % 16 + 2 > 15 ? lane : lane + 2));
  WRONG_IF(__shfl_xor_sync(ALL, lane, 21) != (lane ^ 21));
  WRONG_IF(__shfl_xor_sync(ALL, lane, 8, 8) != (lane / 8 % 2 == 0 ? lane : lane - 8)); // up to a later segment: own value
  WRONG_IF(__shfl_sync(ALL, 1.5 * lane, 9) != 13.5);
  WRONG_IF(__shfl_xor_sync(ALL, 0x100000001ull * lane, 1) != 0x100000001ull * (lane ^ 1));
}

__global__ void shuffles_apart(int* errors) {
  const int lane = threadIdx.x;
  if (lane % 2 == 0) WRONG_IF(__shfl_xor_sync(0x55555555u, lane, 2) != (lane ^ 2));
  else WRONG_IF(__shfl_xor_sync(0xaaaaaaaau, lane * 10, 4) != (lane ^ 4) * 10);
  if (lane >= 24) WRONG_IF(__shfl_sync(0xff000000u, lane, 31) != 31);
  if (lane == 7) WRONG_IF(__shfl_sync(1u << 7, 70, 7) != 70);
  // Lanes reach the same full-mask shuffle along different paths.
  int value = lane;
  if (lane < 16)
    for (int i = 0; i < lane; ++i) value += 1;
  WRONG_IF(__shfl_sync(ALL, value, (lane + 16) % 32) != ((lane + 16) % 32 < 16 ? 2 * (lane - 16) : lane + 16));
}

__global__ void votes(int* errors) {
  const int lane = threadIdx.x;
  WRONG_IF(__ballot_sync(ALL, lane % 3 == 0) != 0x49249249u);
  WRONG_IF(!__any_sync(ALL, lane == 31) || __any_sync(ALL, lane > 31));
  WRONG_IF(__all_sync(ALL, lane != 31) || !__all_sync(ALL, lane < 32));
  WRONG_IF(__uni_sync(ALL, lane == 4) || !__uni_sync(ALL, lane > 40) || !__uni_sync(ALL, lane >= 0));
  if (lane < 12) WRONG_IF(__ballot_sync(0xfffu, lane > 2) != 0xff8u);
  else WRONG_IF(!__all_sync(0xfffff000u, lane >= 12));
  if (lane & 4) WRONG_IF((__activemask() & 1u << lane) == 0); // at least oneself
}

__global__ void matches(int* errors) {
  const int lane = threadIdx.x;
  WRONG_IF(__match_any_sync(ALL, lane % 4) != 0x11111111u << lane % 4);
  WRONG_IF(__match_any_sync(ALL, 0x500000000ull + lane / 16) != (lane < 16 ? 0xffffu : 0xffff0000u));
  int same = 0;
  WRONG_IF(__match_all_sync(ALL, 77, &same) != ALL || !same);
  WRONG_IF(__match_all_sync(ALL, lane == 9, &same) != 0 || same);
  if (lane >= 8 && lane < 16) WRONG_IF(__match_any_sync(0xff00u, lane & 1) != (lane & 1 ? 0xaa00u : 0x5500u));
}

__global__ void reductions(int* errors) {
  const int lane = threadIdx.x;
  const unsigned bit = 1u << lane;
  WRONG_IF(__reduce_add_sync(ALL, lane) != 496);
  WRONG_IF(__reduce_min_sync(ALL, lane - 7) != -7 || __reduce_max_sync(ALL, lane - 40) != -9);
  WRONG_IF(__reduce_min_sync(ALL, bit) != 1u || __reduce_max_sync(ALL, bit) != 0x80000000u);
  WRONG_IF(__reduce_and_sync(ALL, ~bit) != 0 || __reduce_or_sync(ALL, bit) != ALL || __reduce_xor_sync(ALL, bit) != ALL);
  if (lane < 5) WRONG_IF(__reduce_add_sync(0x1fu, 10u) != 50u);
  else WRONG_IF(__reduce_max_sync(~0x1fu, lane) != 31);
}

// __syncwarp orders memory among the lanes of its mask.
__global__ void warp_barriers(int* errors) {
  __shared__ int tile[32];
  const int lane = threadIdx.x;
  for (int step = 1; step <= 40; ++step) {
    tile[lane] = lane * step;
    __syncwarp();
    WRONG_IF(tile[31 - lane] != (31 - lane) * step);
    __syncwarp();
  }
  if (lane < 16) {
    tile[lane] = 1000 + lane;
    __syncwarp(0xffffu);
    WRONG_IF(tile[lane ^ 1] != 1000 + (lane ^ 1));
  } else {
    tile[lane] = 2000 + lane;
    __syncwarp(0xffff0000u);
    WRONG_IF(tile[lane ^ 8] != 2000 + (lane ^ 8));
  }
  if (lane >= 30) return; // the lanes that left do not hold the others up
  __syncwarp();
}

// A warp barrier reached from different calls is one barrier: the mask names it, not the place.
__global__ void warp_barrier_in_branches(int* errors) {
  __shared__ int tile[32];
  const int lane = threadIdx.x;
  tile[lane] = 0;
  __syncwarp();
  if (lane % 2 == 0) {
    tile[lane] = lane + 1;
    __syncwarp();
    WRONG_IF(tile[lane + 1] != lane + 2);
  } else {
    tile[lane] = lane + 1;
    __syncwarp();
    WRONG_IF(tile[lane - 1] != lane);
  }
}

static bool holds(void (*kernel)(int*), int blocks) {
  Buffer<int> errors(1);
  kernel<<<blocks, 32>>>(errors.device());
  FINISH();
  EXPECT(errors.fetch()[0] == 0);
  return true;
}

CASE(warp_shuffles, "shuffles: idx, up, down, xor, segments, 64-bit and floating values") { return holds(shuffles, 3); }
CASE(warp_shuffles_apart, "shuffles with masks in divergent code") { return holds(shuffles_apart, 3); }
CASE(warp_votes, "ballot, any, all, uni, activemask") { return holds(votes, 3); }
CASE(warp_matches, "match any and all, 32 and 64 bits") { return holds(matches, 3); }
CASE(warp_reductions, "redux: add, min, max, and, or, xor") { return holds(reductions, 3); }
CASE(warp_barriers_masked, "__syncwarp with full and partial masks") { return holds(warp_barriers, 3); }
CASE(warp_barrier_in_both_branches, "__syncwarp in both branches") { return holds(warp_barrier_in_branches, 3); }

#if defined(CONFORMANCE_SM90)
__global__ void elections(int* errors) {
  unsigned leader = 99;
  int elected = 0;
  asm volatile("{ .reg .pred p; elect.sync %0|p, 0xffffffff; selp.s32 %1, 1, 0, p; }" : "=r"(leader), "=r"(elected));
  WRONG_IF(leader > 31 || (elected != 0) != (leader == threadIdx.x));
  WRONG_IF(__popc(__ballot_sync(ALL, elected)) != 1);
}

CASE(warp_election, "elect.sync chooses one lane") { return holds(elections, 3); }
#endif
