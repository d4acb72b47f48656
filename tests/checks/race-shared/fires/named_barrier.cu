// A named barrier orders only the warps that take part.
#include "../../check_case.h"

__global__ void halves(int* out) {
  __shared__ int tile[128];
  tile[threadIdx.x] = threadIdx.x;       // other: race-shared
  const int half = threadIdx.x / 64;
  SYNC(half + 1, 64);
  out[threadIdx.x] = tile[127 - threadIdx.x]; // other: race-shared
}

int main() {
  halves<<<1, 128>>>(device_array<int>(128));
  return finish();
}
