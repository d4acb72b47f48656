// Forward progress: threads that wait for each other, inside a warp, between warps, blocks, and the host.
#include "conformance.h"

__global__ void wait_for(volatile int* flag, int waiter, int setter, int* seen) {
  if (threadIdx.x == waiter) {
    while (*flag == 0) {
    }
    *seen = 1;
  } else if (threadIdx.x == setter) {
    *flag = 1;
  }
}

CASE(lane_waits_for_next, "lane 0 waits for lane 1") {
  Buffer<int> flag(1), seen(1);
  wait_for<<<1, 32>>>(flag.device(), 0, 1, seen.device());
  FINISH();
  EXPECT(seen.fetch()[0] == 1);
  return true;
}

CASE(lane_waits_for_previous, "lane 1 waits for lane 0") {
  Buffer<int> flag(1), seen(1);
  wait_for<<<1, 32>>>(flag.device(), 1, 0, seen.device());
  FINISH();
  EXPECT(seen.fetch()[0] == 1);
  return true;
}

__global__ void chain(volatile int* flags, int* seen) {
  const int lane = threadIdx.x;
  if (lane < 31)
    while (flags[lane + 1] == 0) {
    }
  flags[lane] = 1;
  if (lane == 0) *seen = 1;
}

CASE(chain_of_lanes, "each of 31 lanes waits for the next") {
  Buffer<int> flags(32), seen(1);
  chain<<<1, 32>>>(flags.device(), seen.device());
  FINISH();
  EXPECT(seen.fetch()[0] == 1);
  return true;
}

__global__ void naive_lock(int* lock, volatile int* counter) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  *counter = *counter + 1;
  __threadfence();
  atomicExch(lock, 0);
}

CASE(spin_lock_in_warp, "spin lock in one warp") {
  Buffer<int> lock(1), counter(1);
  naive_lock<<<1, 32>>>(lock.device(), counter.device());
  FINISH();
  EXPECT(counter.fetch()[0] == 32);
  return true;
}

CASE(spin_lock_across_blocks, "spin lock taken by every thread of 8 blocks") {
  Buffer<int> lock(1), counter(1);
  naive_lock<<<8, 64>>>(lock.device(), counter.device());
  FINISH();
  EXPECT(counter.fetch()[0] == 8 * 64);
  return true;
}

__global__ void warps(int* seen) {
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    while (flag == 0) {
    }
    seen[threadIdx.x] = 1;
  } else if (threadIdx.x == 40) {
    flag = 1;
  }
}

CASE(warp_waits_for_warp, "warp 0 waits for warp 1 through shared memory") {
  Buffer<int> seen(32);
  warps<<<1, 64>>>(seen.device());
  FINISH();
  EXPECT(all_equal(seen.fetch(), 1));
  return true;
}

// Two blocks take turns: block b moves the token on when its turn has come.
__global__ void ping_pong(volatile int* token, int rounds, bool sleep) {
  if (threadIdx.x != 0) return;
  for (int round = 0; round < rounds; ++round) {
    while (*token != 2 * round + static_cast<int>(blockIdx.x)) {
      if (sleep) __nanosleep(100);
    }
    __threadfence();
    *token = 2 * round + static_cast<int>(blockIdx.x) + 1;
  }
}

CASE(blocks_hand_over, "two blocks hand over through a flag, 100 times") {
  Buffer<int> token(1);
  ping_pong<<<2, 32>>>(token.device(), 100, false);
  FINISH();
  EXPECT(token.fetch()[0] == 200);
  return true;
}

CASE(blocks_hand_over_sleeping, "the same with __nanosleep in the wait") {
  Buffer<int> token(1);
  ping_pong<<<2, 32>>>(token.device(), 100, true);
  FINISH();
  EXPECT(token.fetch()[0] == 200);
  return true;
}

__global__ void first_waits_for_last(volatile int* flag, int* seen) {
  if (blockIdx.x == 0) {
    while (*flag == 0) {
    }
    *seen = 1;
  } else if (blockIdx.x == gridDim.x - 1) {
    *flag = 1;
  }
}

// Needs co-residency: a device that holds fewer than 1,000 of these blocks at once may hang.
CASE(first_block_waits_for_last, "block 0 waits for the last of 1,000 blocks") {
  Buffer<int> flag(1), seen(1);
  first_waits_for_last<<<1000, 1>>>(flag.device(), seen.device());
  FINISH();
  EXPECT(seen.fetch()[0] == 1);
  return true;
}

__global__ void poll_host(volatile int* started, volatile int* flag, volatile int* answer) {
  *started = 1;
  __threadfence_system();
  while (*flag == 0) {
  }
  *answer = *flag + 1;
}

static bool host_hands_flag_to(int* words) {
  volatile int* host = words;
  host[0] = host[1] = host[2] = 0;
  int* device = words;
  poll_host<<<1, 1>>>(device, device + 1, device + 2);
  CUDA(cudaGetLastError());
  while (host[0] == 0) { // the kernel runs: only now is the flag set
  }
  host[1] = 41;
  CUDA(cudaDeviceSynchronize());
  EXPECT(host[2] == 42);
  return true;
}

CASE(host_sets_mapped_flag, "a kernel polls a flag that the host sets (mapped memory)") {
  int* words = nullptr;
  CUDA(cudaHostAlloc(&words, 3 * sizeof(int), cudaHostAllocMapped));
  int* device = nullptr;
  CUDA(cudaHostGetDevicePointer(&device, words, 0));
  EXPECT(device == words); // unified addressing
  const bool held = host_hands_flag_to(words);
  CUDA(cudaFreeHost(words));
  return held;
}

// Where managed memory may not be touched while a kernel runs (concurrentManagedAccess is 0), there is nothing to test.
CASE(host_sets_managed_flag, "a kernel polls a flag that the host sets (managed memory)") {
  int concurrent = 0;
  CUDA(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, 0));
  if (!concurrent) return true;
  int* words = nullptr;
  CUDA(cudaMallocManaged(&words, 3 * sizeof(int)));
  const bool held = host_hands_flag_to(words);
  CUDA(cudaFree(words));
  return held;
}
