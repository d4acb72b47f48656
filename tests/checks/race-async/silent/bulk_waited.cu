// Every thread waits for the bytes of the bulk copy: no proxy fence is needed on this side.
// options: --arch sm_90
#include "../bulk.h"

__global__ void copy(int* data, int* out) {
  __shared__ alignas(16) int tile[64];
  __shared__ alignas(8) unsigned long long bar;
  const int t = threadIdx.x;
  if (t == 0) BAR_INIT(&bar, 1);
  PROXY_FENCE();
  __syncthreads();
  if (t == 0) {
    BAR_EXPECT(&bar, 256);
    BULK_LOAD(tile, data, 256, &bar);
  }
  BAR_WAIT(&bar, 0);
  out[t] = tile[63 - t];
}

int main() {
  copy<<<1, 64>>>(device_array<int>(256), device_array<int>(256));
  return finish();
}
