// The block ends while a bulk copy may still read its shared memory.
// options: --arch sm_90
#include "../bulk.h"

__global__ void copy(int* out) {
  __shared__ alignas(16) int tile[64];
  tile[threadIdx.x] = threadIdx.x;
  PROXY_FENCE();
  __syncthreads();
  if (threadIdx.x == 0) {
    BULK_STORE(out, tile, 256);          // other: race-async
    BULK_COMMIT();
  }
}

int main() {
  copy<<<1, 64>>>(device_array<int>(64));
  return finish();
}
