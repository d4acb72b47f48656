// Two blocks take two locks in opposite order; a counter makes sure that each has its first before it asks for the other.
#include "../../check_case.h"

__device__ int locks[2];
__device__ int have_one;

__device__ void take(int* lock) {
  while (atomicCAS(lock, 0, 1) != 0) {} // expect: livelock
}

__global__ void both(int* out) {
  if (threadIdx.x != 0) return;
  take(&locks[blockIdx.x]);
  atomicAdd(&have_one, 1);
  while (atomicAdd(&have_one, 0) != 2) {}
  take(&locks[1 - blockIdx.x]);
  atomicAdd(out, 1);
  atomicExch(&locks[0], 0);
  atomicExch(&locks[1], 0);
}

int main() {
  both<<<2, 32>>>(device_array<int>(1));
  return finish();
}
