// A shuffle waits for the lanes and orders no memory.
#include "../../check_case.h"

__global__ void exchange(int* out) {
  __shared__ int tile[32];
  tile[threadIdx.x] = threadIdx.x;       // other: race-shared
  __shfl_sync(0xffffffff, 0, 0);
  out[threadIdx.x] = tile[31 - threadIdx.x]; // other: race-shared
}

int main() {
  exchange<<<1, 32>>>(device_array<int>(32));
  return finish();
}
