// Each warp stores a line of shared memory and reads the next one's, which a barrier behind both does not order.
// options: --as-built
#include "../../check_case.h"

__global__ void shift(int* out) {
  __shared__ int tile[128];
  const int next = threadIdx.x ^ 32;
  tile[threadIdx.x] = threadIdx.x; // other: race-shared
  const int theirs = tile[next];   // other: race-shared
  __syncthreads();
  tile[threadIdx.x] = theirs;
  __syncthreads();
  out[threadIdx.x] = tile[next];
}

int main() {
  shift<<<1, 128>>>(device_array<int>(128));
  return finish();
}
