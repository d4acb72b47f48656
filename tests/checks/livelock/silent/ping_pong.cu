// Two blocks hand a turn to and fro: both wait most of the time.
#include "../../check_case.h"

__device__ int turn;

__global__ void play(int* out) {
  if (threadIdx.x != 0) return;
  for (int round = 0; round < 50; ++round) {
    while (atomicAdd(&turn, 0) != 2 * round + int(blockIdx.x)) {}
    __threadfence();
    out[0] += 1;
    __threadfence();
    atomicAdd(&turn, 1);
  }
}

int main() {
  play<<<2, 32>>>(device_array<int>(1));
  return finish();
}
