// The tile is filled anew while the bulk copy may still read it.
// options: --arch sm_90
#include "../bulk.h"

__global__ void copy(int* data, int* out) {
  __shared__ alignas(16) int tile[64];
  __shared__ alignas(8) unsigned long long bar;
  const int t = threadIdx.x;
  if (t == 0) BAR_INIT(&bar, 1);
  PROXY_FENCE();
  __syncthreads();
  tile[t] = t;
  PROXY_FENCE();
  __syncthreads();
  if (t == 0) {
    BULK_STORE(out, tile, 256);          // other: race-async
    BULK_COMMIT();
  }
  __syncthreads();
  tile[t] = 0;                           // other: race-async
  if (t == 0) BULK_WAIT();
}

int main() {
  copy<<<1, 64>>>(device_array<int>(256), device_array<int>(256));
  return finish();
}
