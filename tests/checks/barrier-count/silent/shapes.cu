#include "../../check_case.h"

__global__ void one_warp(int* out) {
  SYNC(1, 32);
  out[threadIdx.x] = 1;
}

__global__ void arrival(int count) {
  if (threadIdx.x < 32) ARRIVE(1, count);
  else SYNC(1, count);
}

__global__ void rounded(int* out) { // 40 threads are two warps
  SYNC(1, 64);
  out[threadIdx.x] = 1;
}

__global__ void each_trip(int* out) {
  __shared__ int tile[32];
  for (int i = 0; i < 2; ++i) {
    if (threadIdx.x < 32) {
      tile[threadIdx.x] = i;
      ARRIVE(3, 64);
      SYNC(4, 64);
    } else {
      SYNC(3, 64);
      out[threadIdx.x] = tile[threadIdx.x - 32];
      ARRIVE(4, 64);
    }
  }
}

__global__ void all_sixteen(int* out) {
  for (int i = 0; i < 16; ++i) SYNC(i, 64);
  out[threadIdx.x] = 1;
}

int main() {
  one_warp<<<1, 32>>>(device_array<int>(32));
  arrival<<<1, 64>>>(64);
  rounded<<<1, 40>>>(device_array<int>(40));
  each_trip<<<1, 64>>>(device_array<int>(64));
  all_sixteen<<<1, 64>>>(device_array<int>(64));
  return finish();
}
