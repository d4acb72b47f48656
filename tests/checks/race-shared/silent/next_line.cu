// Each warp stores a line of shared memory and reads the next one's behind a barrier, round after round.
// options: --as-built
#include "../../check_case.h"

__global__ void shift(int* out) {
  __shared__ int tile[128];
  const int next = threadIdx.x ^ 32;
  int theirs = threadIdx.x;
  for (int round = 0; round < 3; ++round) {
    tile[threadIdx.x] = theirs;
    __syncthreads();
    theirs = tile[next];
    __syncthreads();
  }
  out[threadIdx.x] = theirs;
}

int main() {
  shift<<<1, 128>>>(device_array<int>(128));
  return finish();
}
