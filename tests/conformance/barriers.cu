// Block barriers: who takes part, where the calls stand, and what a barrier makes visible.
//
// Where lanes of one warp part before a barrier, the cases use barrier.sync without .aligned, which PTX defines for
// that; __syncthreads() (bar.sync, which is aligned) stands where whole warps arrive together.
#include "conformance.h"

__device__ void barrier_any_lane() { asm volatile("barrier.sync 0;" ::: "memory"); }

// Phases are counted: before its barrier a thread adds 1 to the phase's counter, after it it must see `expected`.
__device__ void arrive_and_check(int* counters, int phase, int expected, int* errors) {
  atomicAdd(&counters[phase], 1);
  barrier_any_lane();
  if (*static_cast<volatile int*>(&counters[phase]) != expected) atomicAdd(errors, 1);
}

__device__ __noinline__ void meet(int* counters, int phase, int expected, int* errors) {
  arrive_and_check(counters, phase, expected, errors);
}

__global__ void divergent_call(int* errors) {
  __shared__ int counters[2];
  if (threadIdx.x < 2) counters[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x % 3 == 0) meet(counters, 0, blockDim.x, errors);
  else meet(counters, 0, blockDim.x, errors);
  if (threadIdx.x % 2 == 0) meet(counters, 1, blockDim.x, errors);
  else arrive_and_check(counters, 1, blockDim.x, errors);
}

CASE(barrier_in_function, "a barrier in a divergent, non-inlined function") {
  Buffer<int> errors(1);
  divergent_call<<<4, 96>>>(errors.device());
  FINISH();
  EXPECT(errors.fetch()[0] == 0);
  return true;
}

// A thread meets the others `depth` times on the way down, as often on the way up, and at the bottom for the rest.
constexpr int LEVELS = 12;

__device__ __noinline__ int descend(int depth, int level, int* counters, int* errors) {
  if (level == depth) {
    for (int phase = depth; phase < LEVELS - depth; ++phase) arrive_and_check(counters, phase, blockDim.x, errors);
    return 1;
  }
  arrive_and_check(counters, level, blockDim.x, errors);
  const int below = descend(depth, level + 1, counters, errors);
  arrive_and_check(counters, LEVELS - 1 - level, blockDim.x, errors);
  return below + 1;
}

__global__ void recursive(int* errors) {
  __shared__ int counters[LEVELS];
  if (threadIdx.x < LEVELS) counters[threadIdx.x] = 0;
  __syncthreads();
  const int depth = threadIdx.x % (LEVELS / 2 + 1);
  if (descend(depth, 0, counters, errors) != depth + 1) atomicAdd(errors, 1);
}

CASE(barrier_in_recursion, "a barrier in a recursive function, each lane at its own depth") {
  Buffer<int> errors(1);
  recursive<<<2, 64>>>(errors.device());
  FINISH();
  EXPECT(errors.fetch()[0] == 0);
  return true;
}

__global__ void half_exits(bool whole_warps, int* out) {
  __shared__ int tile[128];
  const bool leaves = whole_warps ? threadIdx.x >= 64 : threadIdx.x % 2 == 1;
  if (leaves) return;
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  const int next = whole_warps ? (threadIdx.x + 1) % 64 : (threadIdx.x + 2) % 128;
  out[threadIdx.x] = tile[next] + 1;
}

CASE(half_exits_others_meet, "half the threads exit, the others meet") {
  Buffer<int> warps_leave(128), lanes_leave(128);
  half_exits<<<1, 128>>>(true, warps_leave.device());
  half_exits<<<1, 128>>>(false, lanes_leave.device());
  FINISH();
  const std::vector<int>&by_warp = warps_leave.fetch(), &by_lane = lanes_leave.fetch();
  for (int i = 0; i < 128; ++i) {
    EXPECT(by_warp[i] == (i < 64 ? (i + 1) % 64 + 1 : 0));
    EXPECT(by_lane[i] == (i % 2 == 0 ? (i + 2) % 128 + 1 : 0));
  }
  return true;
}

__global__ void both_branches(int* out) {
  __shared__ int tile[128];
  tile[threadIdx.x] = threadIdx.x;
  if (threadIdx.x / 32 % 2 == 0) {
    __syncthreads();
    out[threadIdx.x] = tile[(threadIdx.x + 32) % 128];
  } else {
    __syncthreads();
    out[threadIdx.x] = -tile[(threadIdx.x + 32) % 128];
  }
}

CASE(barrier_in_both_branches, "a barrier in both branches, whole warps in each") {
  Buffer<int> out(128);
  both_branches<<<1, 128>>>(out.device());
  FINISH();
  const std::vector<int>& values = out.fetch();
  for (int i = 0; i < 128; ++i) EXPECT(values[i] == (i / 32 % 2 == 0 ? 1 : -1) * ((i + 32) % 128));
  return true;
}

__global__ void both_branches_of_a_warp(int* errors) {
  __shared__ int counters[2];
  if (threadIdx.x < 2) counters[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x & 1) {
    arrive_and_check(counters, 0, blockDim.x, errors);
    if (threadIdx.x & 2) arrive_and_check(counters, 1, blockDim.x, errors);
    else arrive_and_check(counters, 1, blockDim.x, errors);
  } else {
    arrive_and_check(counters, 0, blockDim.x, errors);
    arrive_and_check(counters, 1, blockDim.x, errors);
  }
}

CASE(warp_split_over_branches, "a barrier in both branches, one warp split between them") {
  Buffer<int> errors(1);
  both_branches_of_a_warp<<<4, 64>>>(errors.device());
  FINISH();
  EXPECT(errors.fetch()[0] == 0);
  return true;
}

// Thread t leaves after t + 1 phases; phase p is met by the threads from p on.
__global__ void unequal_trips(int* errors) {
  __shared__ int counters[80];
  for (int i = threadIdx.x; i < 80; i += blockDim.x) counters[i] = 0;
  __syncthreads();
  for (int phase = 0; phase <= threadIdx.x; ++phase)
    arrive_and_check(counters, phase, blockDim.x - phase, errors);
}

CASE(unequal_trip_counts, "unequal trip counts: threads leave one by one, the others go on meeting") {
  Buffer<int> errors(1);
  unequal_trips<<<2, 80>>>(errors.device());
  FINISH();
  EXPECT(errors.fetch()[0] == 0);
  return true;
}

// One thread takes the lock for the whole block, which then meets twice while it holds it.
__global__ void locked_section(int* lock, volatile int* data, int* errors) {
  __shared__ int seen;
  if (threadIdx.x == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    seen = data[0];
  }
  __syncthreads();
  if (data[threadIdx.x] != seen) atomicAdd(errors, 1);
  __syncthreads();
  data[threadIdx.x] = seen + 1;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) atomicExch(lock, 0);
}

CASE(lock_around_barrier, "a lock held across barriers, by 64 blocks in turn") {
  Buffer<int> lock(1), data(96), errors(1);
  locked_section<<<64, 96>>>(lock.device(), data.device(), errors.device());
  FINISH();
  EXPECT(errors.fetch()[0] == 0);
  EXPECT(all_equal(data.fetch(), 64));
  return true;
}

__global__ void reductions(int leave_from, int* errors) {
  if (threadIdx.x >= leave_from) return; // exited threads take no part
  const int count = __syncthreads_count(threadIdx.x % 3 == 0);
  const int all = __syncthreads_and(threadIdx.x < leave_from);
  const int any = __syncthreads_or(threadIdx.x == leave_from - 1);
  const int none = __syncthreads_or(threadIdx.x >= leave_from);
  if (count != (leave_from + 2) / 3 || !all || !any || none) atomicAdd(errors, 1);
}

CASE(barrier_reductions, "__syncthreads_count, _and, _or, exited threads excluded") {
  Buffer<int> errors(1);
  reductions<<<2, 200>>>(200, errors.device());
  reductions<<<2, 200>>>(70, errors.device());
  FINISH();
  EXPECT(errors.fetch()[0] == 0);
  return true;
}
